--[[ Budgets of a call's token and group, shared by the scripts that change a hold (amounts.lua comes before this). A hold
     keeps them as lines: key, field and bound of each, in the account's slot. ]]
local function budgets_of(lines)
  local budgets = {}
  for key, field, most in string.gmatch(lines or '', '([^\n]+)\n([^\n]+)\n([^\n]+)\n') do
    budgets[#budgets + 1] = {key = key, field = field, most = most}
  end
  return budgets
end
-- Adds an amount, below zero too, to the totals of periods that have not expired.
local function change_budgets(budgets, nanos)
  if nanos == '0' then return end
  for _, budget in ipairs(budgets) do
    local spent = redis.call('HGET', budget.key, budget.field)
    if spent then redis.call('HSET', budget.key, budget.field, add(spent, nanos)) end
  end
end
-- What the budgets come to with nanos more, or nil and the index of the first that is too small. Writes nothing.
local function with_more(budgets, nanos)
  local totals = {}
  for at, budget in ipairs(budgets) do
    local spent = add(redis.call('HGET', budget.key, budget.field) or '0', nanos)
    if not is_negative(spent) and greater(spent, budget.most) and nanos ~= '0' then return nil, at end
    totals[at] = spent
  end
  return totals
end
local function write_budgets(budgets, totals)
  for at, budget in ipairs(budgets) do redis.call('HSET', budget.key, budget.field, totals[at]) end
end
