--[[ Stores the metadata of a new or changed conversation. Requires from-hex.lua and count-conversation.lua. Keys as in
     add-items.lua.
  metadata: encrypted, in hexadecimal   secret: id of the secret that encrypted it
  Returns `outdated` if the items are encrypted with another secret: they must not live longer. ]]
if redis.call('EXISTS', list) == 1 and redis.call('HGET', head, 'secret') ~= secret then return {'outdated'} end
local stored = fromHex(metadata)
local limits = {maxBytes = maxContentBytes, maxRecords = maxContentRecords}
local change = {record = head, bytes = #stored, lifetimeMs = lifetimeMs, limits = limits}
if not countContent(contentSizes, contentExpiries, change) then return {'over-limit'} end
redis.call('HSET', head, 'createdAt', createdAt, 'metadata', stored, 'secret', secret)
for _, key in ipairs({head, list, ids}) do redis.call('PEXPIRE', key, lifetimeMs) end
countConversation(head, list, contentSizes, contentExpiries)
return {'saved'}
