--[[ Deletes a task if it still has the version that was read.
  task hash: version   list zset: task id -> created (ms) ]]
if redis.call('HGET', task, 'version') ~= version then return {'stale'} end
redis.call('DEL', task)
redis.call('ZREM', list, id)
return {'removed'}
