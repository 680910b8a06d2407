--[[ Adds money to an account, or takes some away, once by operation id. Never takes more than is available. What was
     done stands among the credits and, as an event, in the outbox (receipt.lua comes before this).
  KEYS[1] account   [2] credits of the account (hash: operation id -> entry with its receipt)   [3] outbox of the shard
  ARGV[1] operation id   [2] nanos, may be negative   [3] entry (JSON)   [4] most entries
  ARGV[5] hash of the receipt that it had in a Redis that was lost, "": none; then it is applied whatever is available
  Returns {"credited"} | {"credited-before"} | {"no-account"} | {"too-low"} | {"too-large"} | {"too-many"} ]]
if redis.call('EXISTS', KEYS[1]) == 0 then return {'no-account'} end
if redis.call('HEXISTS', KEYS[2], ARGV[1]) == 1 then return {'credited-before'} end
if redis.call('HLEN', KEYS[2]) >= tonumber(ARGV[4]) then return {'too-many'} end
-- All that an account was ever given stays below Redis' 64-bit integers, and so does everything it can spend.
if tonumber(redis.call('HGET', KEYS[1], 'credited')) + tonumber(ARGV[2]) > 8e18 then return {'too-large'} end
redis.call('HINCRBY', KEYS[1], 'available', ARGV[2])
if ARGV[5] == '' and string.sub(ARGV[2], 1, 1) == '-' and string.sub(redis.call('HGET', KEYS[1], 'available'), 1, 1) == '-' then
  redis.call('HINCRBY', KEYS[1], 'available', string.sub(ARGV[2], 2))
  return {'too-low'}
end
redis.call('HINCRBY', KEYS[1], 'credited', ARGV[2])
record_credit(KEYS[1], KEYS[2], KEYS[3], ARGV[1], ARGV[2], ARGV[3], ARGV[5])
return {'credited'}
