--[[ Arithmetic with amounts: integers of nano-dollars as decimal strings, with a minus sign if negative. A Lua number
     is exact up to 2^53 only, so longer amounts are added in two parts: the last nine digits, and the digits before
     them. ]]
local exact_digits, part = 15, 1000000000
local function split(text)
  local sign, digits = 1, text
  if string.byte(text) == 45 then sign, digits = -1, string.sub(text, 2) end
  return sign * (tonumber(string.sub(digits, 1, -10)) or 0), sign * tonumber(string.sub(digits, -9))
end
local function add(a, b)
  if #a <= exact_digits and #b <= exact_digits then return string.format('%d', a + b) end
  local high, low = split(a)
  local b_high, b_low = split(b)
  high, low = high + b_high, low + b_low
  local carry = math.floor(low / part)
  high, low = high + carry, low - carry * part -- low is now at least zero; high may be negative
  local sign = ''
  if high < 0 then
    sign = '-'
    if low == 0 then high = -high else high, low = -high - 1, part - low end
  end
  if high == 0 then return low == 0 and '0' or string.format('%s%d', sign, low) end
  return string.format('%s%d%09d', sign, high, low)
end
local function is_negative(amount) return string.byte(amount) == 45 end
local function negated(amount)
  if amount == '0' then return amount end
  return is_negative(amount) and string.sub(amount, 2) or '-' .. amount
end
local function subtract(a, b)
  if #a <= exact_digits and #b <= exact_digits then return string.format('%d', a - b) end
  return add(a, negated(b))
end
-- Compares two amounts that are not negative. They have no leading zeros, so the longer one is greater.
local function greater(a, b) return #a > #b or (#a == #b and a > b) end
