--[[ Returns true if `ids` contains the ids of all items in `list`. Earlier versions of modelgate add and remove items
     without updating `indexed` and `ids`; the compared values then differ. ]]
local function isIndexed(head, list, ids)
  local counted = redis.call('HMGET', head, 'bytes', 'indexed')
  return counted[1] == counted[2] and redis.call('LLEN', list) == redis.call('LLEN', ids)
end
