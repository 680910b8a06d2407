--[[ Charges a call whose settlement, or whose hold, was lost with a Redis (receipt.lua and budgets.lua come before this).
     Once for each receipt that it had before. Its cost is true, so it is taken whatever is available: the account may
     owe some. A hold that came back is given back.
  KEYS[1] account   [2] hold of the call   [3] holds of the shard   [4] outbox of the shard
  KEYS[5] charged (hash: call id -> the receipt that it had before, "late" for none)
  ARGV[1] call id   [2] cost (nanos)   [3] event (JSON, without its cost)   [4] hash of the receipt before, "": none
  ARGV[5] how long it is remembered (ms)
  Returns {"charged", outbox entry id, number, previous, balance, hash} | {"charged-before"} | {"no-account"} ]]
if redis.call('EXISTS', KEYS[1]) == 0 then return {'no-account'} end
local mark = ARGV[4] == '' and 'late' or ARGV[4]
local known = redis.call('HGET', KEYS[5], ARGV[1])
if known == mark or (known and mark == 'late') then return {'charged-before'} end
redis.call('HSET', KEYS[5], ARGV[1], mark)
redis.call('PEXPIRE', KEYS[5], ARGV[5])
local hold = redis.call('HMGET', KEYS[2], 'nanos', 'budgets')
if hold[1] then
  redis.call('DEL', KEYS[2])
  redis.call('ZREM', KEYS[3], ARGV[1])
  if hold[1] ~= '0' then
    redis.call('HINCRBY', KEYS[1], 'held', '-' .. hold[1])
    redis.call('HINCRBY', KEYS[1], 'available', hold[1])
    give_back(budgets_of(hold[2] or ''), hold[1])
  end
end
if ARGV[2] ~= '0' then
  redis.call('HINCRBY', KEYS[1], 'spent', ARGV[2])
  redis.call('HINCRBY', KEYS[1], 'available', '-' .. ARGV[2])
end
local number, previous, balance, hash = receipt(KEYS[1], ARGV[2] == '0' and '0' or '-' .. ARGV[2], ARGV[3])
local entry = redis.call('XADD', KEYS[4], '*', 'event', ARGV[3], 'cost', ARGV[2], 'uncovered', '0',
  'number', number, 'previous', previous, 'balance', balance, 'hash', hash, 'replaces', ARGV[4])
return {'charged', entry, number, previous, balance, hash}
