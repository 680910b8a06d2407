--[[ Puts more money aside for a call that is under way and costs more than was held for it, within the budgets of its
     hold. All or nothing (budgets.lua comes before this).
  account hash: available, held (nanos)   hold hash   nanos above zero ]]
if redis.call('EXISTS', hold) == 0 then return {'gone'} end
local budgets = budgets_of(redis.call('HGET', hold, 'budgets') or '')
if take(budgets, nanos) then return {'too-low'} end
redis.call('HINCRBY', account, 'available', '-' .. nanos)
if string.sub(redis.call('HGET', account, 'available'), 1, 1) == '-' then
  redis.call('HINCRBY', account, 'available', nanos)
  give_back(budgets, nanos)
  return {'too-low'}
end
redis.call('HINCRBY', account, 'held', nanos)
redis.call('HINCRBY', hold, 'nanos', nanos)
return {'extended'}
