--[[ Settles one call (see settlement.lua, which comes before this after receipt.lua).
  KEYS[1] account   [2] hold of the call   [3] holds of the shard   [4] outbox of the shard   [5] token bucket
  KEYS[6] late calls of the shard
  ARGV[1] call id   [2] cost (nanos)   [3] event (JSON, without its cost)   [4] tokens used
  ARGV[5] now (ms), 0: Redis' clock   [6] "1": only if the hold's lease has run out
  ARGV[7] "1": where the hold is gone, the ledger is to see to the call
  Returns {"settled", outbox entry id, nanos that the account could not cover, number, previous, balance, hash} | {"gone"} | {"leased"} ]]
local keys = {account = KEYS[1], hold = KEYS[2], holds = KEYS[3], outbox = KEYS[4], bucket = KEYS[5],
  late = ARGV[7] == '1' and KEYS[6] or nil}
return settlement(keys, ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6] == '1')
