--[[ Returns true if ids has the ids of all items in list. Earlier versions, which store no ids, change only bytes or
     list. ]]
local function isIndexed(head, list, ids)
  local counted = redis.call('HMGET', head, 'bytes', 'indexed')
  return counted[1] == counted[2] and redis.call('LLEN', list) == redis.call('LLEN', ids)
end
