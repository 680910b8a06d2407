--[[ Reads the spending of budgets. Requires budgets.lua.   budgets hash, lines: see budgets.lua
  Returns for each budget the amount spent and held in the period, and the amount that rolled over to it (nanos). ]]
local amounts = {}
for _, budget in ipairs(read_budgets(budgets, lines)) do
  begin_period(budget)
  amounts[#amounts + 1] = budget.spent
  amounts[#amounts + 1] = carried(budget)
end
return {'read', amounts = amounts}
