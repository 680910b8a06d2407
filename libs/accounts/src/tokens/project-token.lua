--[[ Gives Redis a token as the books have it, unless it has it as it is now, or as it was later.
  token string: the token (JSON)   record: the token as it is to be   version: counts its changes ]]
local seen = redis.call('GET', token)
if seen then
  local known = cjson.decode(seen)
  if type(known.version) == 'number' and known.version >= version then return {'newer'} end
end
redis.call('SET', token, record)
return {'projected'}
