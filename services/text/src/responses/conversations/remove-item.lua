--[[ Removes an item from a conversation. Requires indexed.lua and count-conversation.lua. Keys as in add-items.lua.
  textBytes, values, members: decompressed sizes of the item ]]
if not isIndexed(head, list, ids) then return {'outdated'} end
local position = redis.call('LPOS', ids, id)
if not position then return {'unknown'} end
local bytes = #id + #redis.call('LINDEX', list, position)
redis.call('LSET', list, position, '')
redis.call('LREM', list, 1, '')
redis.call('LREM', ids, 1, id)
redis.call('HSET', head, 'indexed', redis.call('HINCRBY', head, 'bytes', -bytes))
redis.call('HDEL', head, 'full')
redis.call('HINCRBY', head, 'textBytes', -textBytes)
redis.call('HINCRBY', head, 'values', -values)
redis.call('HINCRBY', head, 'members', -members)
countConversation(head, list, contentSizes, contentExpiries)
return {'removed'}
