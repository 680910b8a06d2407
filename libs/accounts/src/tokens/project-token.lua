--[[ Gives Redis a token as the books have it, unless it has it as it is now or as it was later.
  KEYS[1] token
  ARGV[1] token (JSON)   [2] its version
  Returns {"projected"} | {"newer"} ]]
local seen = redis.call('GET', KEYS[1])
if seen then
  local known = cjson.decode(seen)
  if type(known.version) == 'number' and known.version >= tonumber(ARGV[2]) then return {'newer'} end
end
redis.call('SET', KEYS[1], ARGV[1])
return {'projected'}
