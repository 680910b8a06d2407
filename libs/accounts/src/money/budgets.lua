--[[ Functions for the budgets of a call's token and group. Requires amounts.lua. A hold stores its budgets as lines:
     key, field and maximum of each. All keys are in the account's slot. ]]
local function budgets_of(lines)
  local budgets = {}
  for key, field, max in string.gmatch(lines or '', '([^\n]+)\n([^\n]+)\n([^\n]+)\n') do
    budgets[#budgets + 1] = {key = key, field = field, max = max}
  end
  return budgets
end
-- Adds an amount, which may be negative, to the totals of periods that have not expired.
local function change_budgets(budgets, nanos)
  if nanos == '0' then return end
  for _, budget in ipairs(budgets) do
    local spent = redis.call('HGET', budget.key, budget.field)
    if spent then redis.call('HSET', budget.key, budget.field, add(spent, nanos)) end
  end
end
-- Returns the totals of the budgets after an addition, or nil and the index of the first budget that is too small.
-- Writes nothing.
local function totals_after(budgets, nanos)
  local totals = {}
  for at, budget in ipairs(budgets) do
    local spent = add(redis.call('HGET', budget.key, budget.field) or '0', nanos)
    if not is_negative(spent) and greater(spent, budget.max) and nanos ~= '0' then return nil, at end
    totals[at] = spent
  end
  return totals
end
local function write_budgets(budgets, totals)
  for at, budget in ipairs(budgets) do redis.call('HSET', budget.key, budget.field, totals[at]) end
end
