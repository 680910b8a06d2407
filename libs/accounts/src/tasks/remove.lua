--[[ Deletes a task if it still has the version that was read, and writes the event of the deletion. The version remains
     until the task would have expired, so that the task is not restored from the books. Requires unpublished.lua.
  task hash: version, entries (of its events in the outbox)   list zset: task id -> created (ms)   outbox stream
  Returns the new outbox entry, and the entry id and JSON of each earlier event of the task that is still in the outbox. ]]
if redis.call('HGET', task, 'version') ~= version then return {'stale'} end
local _, earlier = unpublished(task, outbox)
local leftMs = redis.call('PTTL', task)
redis.call('DEL', task)
if leftMs > 0 then
  redis.call('HSET', task, 'version', tostring(tonumber(version) + 1))
  redis.call('PEXPIRE', task, leftMs)
end
redis.call('ZREM', list, id)
return {'removed', entry = redis.call('XADD', outbox, '*', 'task', event), earlier = earlier}
