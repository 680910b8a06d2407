--[[ Stores the digest of a token's key, unless a later version of the token has stored another one.
  ids hash: id of a token -> digest of its key, {id}:version -> version of the token, if its key was rotated
  version: number of its changes   replaced: number of its replaced keys ]]
if tonumber(redis.call('HGET', ids, id .. ':version') or '0') > version then return {'newer'} end
redis.call('HSET', ids, id, digest)
if replaced > 0 then redis.call('HSET', ids, id .. ':version', string.format('%.0f', version)) end
return {'named'}
