--[[ Changes the name and the state of an account, unless Redis has this version of them or a later one.
  account hash   version: number of changes of the account   disabled: its calls are refused ]]
local found = redis.call('HMGET', account, 'available', 'version')
if not found[1] then return {'no-account'} end
if tonumber(found[2] or 0) >= version then return {'newer'} end
redis.call('HSET', account, 'name', name, 'version', string.format('%.0f', version))
if disabled then redis.call('HSET', account, 'disabled', '1') else redis.call('HDEL', account, 'disabled') end
return {'set'}
