--[[ Takes an item out of a conversation (indexed.lua comes before this). Keys as in add-items.lua.
  textBytes, values, members: of the item, unpacked   Returns the bytes that its record and its id had. ]]
if not isIndexed(head, list, ids) then return {'unindexed'} end
local place = redis.call('LPOS', ids, id)
if not place then return {'unknown'} end
local bytes = #id + #redis.call('LINDEX', list, place)
redis.call('LSET', list, place, '')
redis.call('LREM', list, 1, '')
redis.call('LREM', ids, 1, id)
redis.call('HSET', head, 'indexed', redis.call('HINCRBY', head, 'bytes', -bytes))
redis.call('HINCRBY', head, 'textBytes', -textBytes)
redis.call('HINCRBY', head, 'values', -values)
redis.call('HINCRBY', head, 'members', -members)
return {'removed', bytes = bytes}
