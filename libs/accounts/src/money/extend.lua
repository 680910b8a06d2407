--[[ Puts more money aside for a call that is under way and costs more than was held for it, within the budgets of its
     hold. All or nothing (budgets.lua comes before this).
  KEYS[1] account   hash: available, held (nano-dollars)
  KEYS[2] hold of the call
  ARGV[1] nanos more, above zero
  Returns {"extended"} | {"gone"} | {"too-low"} ]]
if redis.call('EXISTS', KEYS[2]) == 0 then return {'gone'} end
local budgets = budgets_of(redis.call('HGET', KEYS[2], 'budgets') or '')
if take(budgets, ARGV[1]) then return {'too-low'} end
redis.call('HINCRBY', KEYS[1], 'available', '-' .. ARGV[1])
if string.sub(redis.call('HGET', KEYS[1], 'available'), 1, 1) == '-' then
  redis.call('HINCRBY', KEYS[1], 'available', ARGV[1])
  give_back(budgets, ARGV[1])
  return {'too-low'}
end
redis.call('HINCRBY', KEYS[1], 'held', ARGV[1])
redis.call('HINCRBY', KEYS[2], 'nanos', ARGV[1])
return {'extended'}
