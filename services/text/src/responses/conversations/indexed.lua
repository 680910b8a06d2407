--[[ Returns true where ids holds the ids of all items in list. Versions that keep no ids change bytes, or list, alone. ]]
local function isIndexed(head, list, ids)
  local counted = redis.call('HMGET', head, 'bytes', 'indexed')
  return counted[1] == counted[2] and redis.call('LLEN', list) == redis.call('LLEN', ids)
end
