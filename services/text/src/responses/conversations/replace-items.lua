--[[ Replaces the metadata and the items of a conversation, and stores the ids and sizes of the items. Requires
     from-hex.lua, state-of.lua and count-conversation.lua. Keys as in add-items.lua.
  newList, newIds: the complete new lists. They are renamed to list and ids, which takes the same time for any length
  before: state when metadata and items were read
  metadata: encrypted, in hexadecimal   secret: id of the secret that encrypted metadata and items
  bytes, textBytes, values, members: total of all items
  Returns `changed`, and removes the new lists, if metadata or items were changed since they were read. ]]
local count = redis.call('LLEN', list)
if stateOf(head, list) ~= before or redis.call('LLEN', newList) ~= count or redis.call('LLEN', newIds) ~= count then
  redis.call('UNLINK', newList, newIds)
  return {'changed'}
end
local leftMs = redis.call('PTTL', head)
redis.call('UNLINK', list, ids)
if count > 0 then
  for new, key in pairs({[newList] = list, [newIds] = ids}) do
    redis.call('RENAME', new, key)
    -- A head without an expiry, for example after a RESTORE, has -1: PEXPIRE would delete the items.
    if leftMs < 0 then redis.call('PERSIST', key) else redis.call('PEXPIRE', key, leftMs) end
  end
end
redis.call('HSET', head, 'metadata', fromHex(metadata), 'secret', secret, 'bytes', bytes, 'indexed', bytes,
  'textBytes', textBytes, 'values', values, 'members', members)
countConversation(head, list, contentSizes, contentExpiries)
return {'replaced'}
