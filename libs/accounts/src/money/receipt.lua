--[[ Adds a receipt to an account's chain, after the money was moved; shared by all scripts that move money for good
     (account-state.lua comes before this).
  state: of the account, written by its script   amount (nanos, signed)   entry (JSON)
  Returns number, hash of the receipt before, balance after it, hash: all strings ]]
local function add_receipt(state, amount, entry)
  local previous, balance = state.head, add(state.available, state.held)
  state.receipts = state.receipts + 1
  local number = string.format('%d', state.receipts)
  state.head = redis.sha1hex(table.concat({previous, number, amount, balance, entry}, '\n'))
  return number, previous, balance, state.head
end
