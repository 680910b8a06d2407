--[[ Forgets a task if nobody has changed it since it was read.
  KEYS[1] task   [2] tasks of the account
  ARGV[1] task id   [2] version that was read
  Returns {"removed"} | {"stale"} ]]
if redis.call('HGET', KEYS[1], 'version') ~= ARGV[2] then return {'stale'} end
redis.call('DEL', KEYS[1])
redis.call('ZREM', KEYS[2], ARGV[1])
return {'removed'}
