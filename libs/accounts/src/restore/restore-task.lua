--[[ Restores a task that Redis has lost, or that has ended since the state that Redis has. Any other task is not
     changed.
  task hash: version, record   due zset: member -> time (ms)   list zset: task id -> created (ms)
  holds zset: call id -> lease expiry (ms); the lease of an existing hold is set to holdUntil
  nextPollAt: nil if the task has ended   keepMs: time for which an ended task is kept ]]
local version = redis.call('HGET', task, 'version')
if version and (nextPollAt or not redis.call('ZSCORE', due, member)) then return {'exists'} end
redis.call('HSET', task, 'version', tostring(tonumber(version or '0') + 1), 'record', record)
redis.call('ZADD', list, createdAt, id)
if nextPollAt then
  redis.call('ZADD', due, nextPollAt, member)
  redis.call('ZADD', holds, 'XX', holdUntil, callId)
else
  redis.call('ZREM', due, member)
  redis.call('PEXPIRE', task, keepMs)
end
return {'restored'}
