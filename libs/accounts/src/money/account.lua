--[[ Creates an account where there is none (receipt.lua and record-credit.lua come before this).
  KEYS[1] account   [2] credits of the account   [3] outbox of the shard
  ARGV[1] name   [2] balance (nanos)   [3] time (RFC 3339)   [4] first credit (JSON)
  Returns {"created"} | {"exists"} ]]
if redis.call('EXISTS', KEYS[1]) == 1 then return {'exists'} end
redis.call('HSET', KEYS[1], 'name', ARGV[1], 'available', ARGV[2], 'held', '0', 'credited', ARGV[2], 'spent', '0', 'createdAt', ARGV[3])
if ARGV[2] ~= '0' then record_credit(KEYS[1], KEYS[2], KEYS[3], 'opening', ARGV[2], ARGV[4]) end
return {'created'}
