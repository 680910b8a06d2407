--[[ Keeps a callback for another try, or deletes it. One that is deleted already stays so.
  due zset: event id -> when (ms)   callbacks hash: event id -> JSON   callback nil: delete it ]]
if callback and redis.call('HEXISTS', callbacks, id) == 1 then
  redis.call('HSET', callbacks, id, callback)
  redis.call('ZADD', due, dueAt, id)
  return {'kept'}
end
redis.call('ZREM', due, id)
redis.call('HDEL', callbacks, id)
return {'deleted'}
