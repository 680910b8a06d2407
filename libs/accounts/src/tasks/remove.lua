--[[ Deletes a task if it still has the version that was read. The version remains until the task would have expired, so
     that the task is not restored from the books.
  task hash: version   list zset: task id -> created (ms) ]]
if redis.call('HGET', task, 'version') ~= version then return {'stale'} end
local leftMs = redis.call('PTTL', task)
redis.call('DEL', task)
if leftMs > 0 then
  redis.call('HSET', task, 'version', tostring(tonumber(version) + 1))
  redis.call('PEXPIRE', task, leftMs)
end
redis.call('ZREM', list, id)
return {'removed'}
