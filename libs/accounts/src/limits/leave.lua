--[[ Gives a seat back.   seats zset: permit -> expiry (ms) ]]
redis.call('ZREM', seats, permit)
return {'left'}
