--[[ Stores the metadata of a new or changed conversation. Requires from-hex.lua. Keys as in add-items.lua.
  metadata: encrypted, in hexadecimal   secret: id of the secret that encrypted it
  Returns `outdated` if the items are encrypted with another secret: they must not live longer. ]]
if redis.call('EXISTS', list) == 1 and redis.call('HGET', head, 'secret') ~= secret then return {'outdated'} end
redis.call('HSET', head, 'createdAt', createdAt, 'metadata', fromHex(metadata), 'secret', secret)
for _, key in ipairs({head, list, ids}) do redis.call('PEXPIRE', key, lifetimeMs) end
return {'saved'}
