--[[ Writes a token of the books to Redis, unless Redis already has this version or a later one.
  token string: the token (JSON)   record: the token to write (JSON)   version: number of its changes
  keepMs: time for which the record is kept; nil: always ]]
local stored = redis.call('GET', token)
if stored then
  local current = cjson.decode(stored)
  if type(current.version) == 'number' and current.version >= version then return {'newer'} end
end
redis.call('SET', token, record)
if keepMs then redis.call('PEXPIRE', token, keepMs) end
return {'written'}
