--[[ Reads the spending of budgets. Requires budgets.lua.   budgets hash, lines: see budgets.lua
  Returns for each budget the amount spent and held in the period, the amount that rolled over to it (nanos), and the
  number of the period in which the budget was used before (0 if in none). ]]
local amounts = {}
for _, budget in ipairs(read_budgets(budgets, lines)) do
  begin_period(budget)
  amounts[#amounts + 1] = budget.spent
  amounts[#amounts + 1] = carried(budget)
  amounts[#amounts + 1] = string.format('%.0f', budget.before)
end
return {'read', amounts = amounts}
