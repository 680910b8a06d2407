--[[ Returns true if ids has the ids of all items in list. Earlier versions of modelgate change bytes and list,
     but not indexed and ids. ]]
local function isIndexed(head, list, ids)
  local counted = redis.call('HMGET', head, 'bytes', 'indexed')
  return counted[1] == counted[2] and redis.call('LLEN', list) == redis.call('LLEN', ids)
end
