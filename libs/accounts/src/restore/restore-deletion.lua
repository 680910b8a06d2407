--[[ Deletes a task that the books have as deleted, unless Redis knows of the deletion. The version remains until the task
     would have expired, so that a late event does not restore the task.
  task hash: version, record   due zset: member -> time (ms)   list zset: task id -> created (ms) ]]
local version, record = unpack(redis.call('HMGET', task, 'version', 'record'))
if version and not record then return {'known'} end
redis.call('DEL', task)
redis.call('HSET', task, 'version', tostring(tonumber(version or '0') + 1))
redis.call('PEXPIRE', task, keepMs)
redis.call('ZREM', due, member)
redis.call('ZREM', list, id)
if record then return {'deleted'} end
return {'recorded'}
