--[[ Budgets of a call's token and group, shared by the scripts that change a hold. A hold keeps them as lines: key,
     field and bound of each, in the account's slot; amounts are decimal strings without leading zeros. ]]
local function budgets_of(lines)
  local budgets = {}
  for key, field, most in string.gmatch(lines or '', '([^\n]+)\n([^\n]+)\n([^\n]+)\n') do
    budgets[#budgets + 1] = {key = key, field = field, most = most}
  end
  return budgets
end
local function give_back(budgets, nanos, count)
  if nanos == '0' then return end
  for at = 1, count or #budgets do
    -- The totals of a past period have expired.
    if redis.call('HEXISTS', budgets[at].key, budgets[at].field) == 1 then
      redis.call('HINCRBY', budgets[at].key, budgets[at].field, '-' .. nanos)
    end
  end
end
-- Takes nanos from all budgets and returns nil, or from none and returns the index of the first that is too small.
local function take(budgets, nanos)
  if nanos == '0' then return nil end
  for at, budget in ipairs(budgets) do
    redis.call('HINCRBY', budget.key, budget.field, nanos)
    local spent, most = redis.call('HGET', budget.key, budget.field), budget.most
    -- The longer is the greater.
    if #spent > #most or (#spent == #most and spent > most) then
      give_back(budgets, nanos, at)
      return at
    end
  end
  return nil
end
