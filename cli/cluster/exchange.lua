#!lua
-- Every step of the exchange of redis.cpp (exchange.hpp says what it is): ARGV[1] names the step. A script is one step
-- for everybody else, and one transaction of the append-only file, so a file that is cut off anywhere holds a state that
-- was true once. Whatever was begun after that is unknown then, and refused by its token.
--
-- There is one exception. A server (7.0) that finds its file cut off inside a command inside a transaction cuts off that
-- command, but not the transaction, and appends to it. It does not execute the torn transaction then, but does
-- after its next start, together with what it has appended. redis-check-aof --fix before each start removes
-- the torn transaction. Without that, it is noticed here. heddle:steps is a hash: each step adds one to `begun` first and
-- sets `ended` to the number that it has read and one more, last. A torn step that was executed makes the two differ. Then
-- everything is forgotten, and submitters begin their checks again: nothing but time is lost. Forgetting begins an
-- `epoch`, which is part of all other names, since a step may be torn in its turn while there is something to forget:
-- what it writes when it is executed at last does not reach the names of the next epoch.
--
-- A check is running, done (no part is open), over (at a violation) or cancelled. Its keys begin with heddle:EPOCH:ID:
--   check     hash: text, about, state, reason, begun and ended (milliseconds), open (number of parts), expected
--             ("EXECUTIONS" or "EXECUTIONS LOW HIGH"), marks ("TIME EXECUTIONS TIME EXECUTIONS" of two moments before)
--   parts     hash: open part -> "DEPTH TEXT"
--   queue     sorted set: parts that wait, by depth
--   running   hash: token -> "EXECUTIONS BLOCKED TRANSITIONS", of parts that are explored
--   losses, crashes, aside   hashes: part -> number, number, reason
--   sums, maxima, firsts     hashes: the tally (heddle/job.h); a first is "ORDER TEXT"
--   workers   set; refusals hash: worker -> reason; submitters sorted set by deadline
-- For all checks, keys begin with heddle:EPOCH: checks and ended (sorted sets of IDs), leases (tokens by deadline), tokens
-- (token -> "ID PART SINCE WORKER"), workers (worker -> "JOBS EXECUTIONS"), seen and idle (workers by time), turn
-- (a number), promised (parts that workers were told to give away).

local most_crashes, most_losses = 3, 20
local kept = 3600           -- seconds for which a check that has ended is kept
local alive = 30000         -- milliseconds after which a silent worker is forgotten
local names = {'check', 'parts', 'queue', 'running', 'losses', 'crashes', 'aside', 'sums', 'maxima', 'firsts',
               'workers', 'refusals', 'submitters'}

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function whole(number) return string.format('%.0f', number) end

local steps_known = redis.call('HMGET', 'heddle:steps', 'epoch', 'begun', 'ended')
local epoch, begun = steps_known[1], steps_known[2]
local is_new_epoch = not epoch or not begun or begun ~= steps_known[3]
if is_new_epoch then epoch, begun = whole(time[1] * 1000000 + time[2]), '0' end

local function name_of(name) return 'heddle:' .. epoch .. ':' .. name end
local function key(check, name) return name_of(check .. ':' .. name) end
local checks, ended_checks, leases, tokens = name_of('checks'), name_of('ended'), name_of('leases'), name_of('tokens')
local workers, seen, idle, promised, turn =
  name_of('workers'), name_of('seen'), name_of('idle'), name_of('promised'), name_of('turn')

local function is_running(check) return redis.call('HGET', key(check, 'check'), 'state') == 'running' end

-- {check, part, since, worker}; nil for unknown tokens.
local function lease_of(token)
  local text = redis.call('HGET', tokens, token)
  if not text then return nil end
  local check, part, since, worker = string.match(text, '^(%S+) (%S+) (%d+) (.*)$')
  return {check = check, part = part, since = tonumber(since), worker = worker}
end

local function end_lease(token, lease)
  redis.call('ZREM', leases, token)
  redis.call('HDEL', tokens, token)
  redis.call('HDEL', key(lease.check, 'running'), token)
end

-- No lease of a check outlives it, so none is one of its successor with the same ID.
local function finish(check, state, reason)
  redis.call('HSET', key(check, 'check'), 'state', state, 'reason', reason, 'ended', whole(now))
  for _, token in ipairs(redis.call('HKEYS', key(check, 'running'))) do end_lease(token, {check = check}) end
  for _, name in ipairs({'parts', 'queue', 'running', 'losses', 'crashes'}) do redis.call('DEL', key(check, name)) end
  redis.call('ZREM', checks, check)
  redis.call('ZADD', ended_checks, whole(now), check)
  for _, name in ipairs(names) do redis.call('EXPIRE', key(check, name), kept) end
end

-- The check has `change` more open parts.
local function count_open(check, change)
  if redis.call('HINCRBY', key(check, 'check'), 'open', change) <= 0 then finish(check, 'done', '') end
end

-- The part of a lease waits again, or is set aside if `kind` has happened to it too often.
local function put_back(lease, kind, most, reason)
  local text = redis.call('HGET', key(lease.check, 'parts'), lease.part)
  if not text then return end
  if kind and redis.call('HINCRBY', key(lease.check, kind), lease.part, 1) >= most then
    redis.call('HSET', key(lease.check, 'aside'), lease.part, reason)
    redis.call('HDEL', key(lease.check, 'parts'), lease.part)
    count_open(lease.check, -1)
  else
    redis.call('ZADD', key(lease.check, 'queue'), string.match(text, '^%d+'), lease.part)
  end
end

local function reclaim()
  for _, token in ipairs(redis.call('ZRANGEBYSCORE', leases, '-inf', whole(now), 'LIMIT', 0, 100)) do
    local lease = lease_of(token)
    if lease then
      end_lease(token, lease)
      put_back(lease, 'losses', most_losses, 'the workers that explored it were lost')
    else
      redis.call('ZREM', leases, token)
    end
  end
end

local function waiting_parts()
  local count = 0
  for _, check in ipairs(redis.call('ZRANGE', checks, 0, -1)) do
    count = count + redis.call('ZCARD', key(check, 'queue'))
  end
  return count
end

-- How many parts a worker is to give away.
local function hunger()
  redis.call('ZREMRANGEBYSCORE', idle, '-inf', whole(now))
  local count = redis.call('ZCARD', idle)
  if count == 0 then return 0 end
  local missing = count - waiting_parts() - tonumber(redis.call('GET', promised) or 0)
  if missing <= 0 then return 0 end
  missing = math.min(missing, 32)
  redis.call('INCRBY', promised, missing)
  redis.call('PEXPIRE', promised, 100)
  return missing
end

-- As bytes: the server's own comparison depends on its language.
local function comes_before(a, b)
  for i = 1, math.min(#a, #b) do
    local x, y = string.byte(a, i), string.byte(b, i)
    if x ~= y then return x < y end
  end
  return #a < #b
end

local function list_of(hash)
  return redis.call('HGETALL', hash)
end

-- Executions a second: of a check that runs those of the last five to ten seconds, if it is asked that often.
local function rate_of(check, state, begun, ended, marks, executions)
  if state ~= 'running' then return ended > begun and executions * 1000 / (ended - begun) or 0 end
  local t0, e0, t1, e1 = string.match(marks or '', '^(%d+) (%d+) (%d+) (%d+)$')
  if not t0 then t0, e0, t1, e1 = begun, 0, begun, 0 end
  if now - t1 >= 5000 then
    redis.call('HSET', key(check, 'check'), 'marks',
               table.concat({whole(t1), whole(e1), whole(now), whole(executions)}, ' '))
  end
  -- What lost workers had said of their parts does not count any more.
  return now > tonumber(t0) and math.max(0, executions - e0) * 1000 / (now - t0) or 0
end

local function status_of(check)
  local about = redis.call('HMGET', key(check, 'check'), 'state', 'reason', 'begun', 'ended', 'open', 'about',
                           'expected', 'marks')
  if not about[1] then return false end
  local counts = {}
  for _, name in ipairs({'executions', 'transitions', 'blocked_assume', 'blocked_await', 'blocked_idle',
                         'blocked_sleep_set', 'blocked_race', 'blocked_loop_bound'}) do
    counts[name] = tonumber(redis.call('HGET', key(check, 'sums'), name) or 0)
  end
  local blocked = counts.blocked_assume + counts.blocked_await + counts.blocked_idle + counts.blocked_sleep_set +
                  counts.blocked_race + counts.blocked_loop_bound
  local running = redis.call('HVALS', key(check, 'running'))
  for _, text in ipairs(running) do
    local e, b, t = string.match(text, '^(%d+) (%d+) (%d+)$')
    counts.executions, blocked, counts.transitions = counts.executions + e, blocked + b, counts.transitions + t
  end
  local ended = tonumber(about[4] or 0)
  if ended == 0 then ended = now end
  local aside = redis.call('HLEN', key(check, 'aside'))
  local because = ''
  if aside > 0 then because = redis.call('HVALS', key(check, 'aside'))[1] end
  redis.call('ZREMRANGEBYSCORE', seen, '-inf', whole(now - alive))
  local open, waiting = tonumber(about[5] or 0), redis.call('ZCARD', key(check, 'queue'))
  return {about[1], about[2] or '', whole(ended - tonumber(about[3] or 0)), whole(counts.executions),
          whole(blocked), whole(counts.transitions), whole(open), whole(math.max(0, open - waiting)),
          whole(redis.call('ZCARD', seen)), whole(aside), because, about[6] or '',
          list_of(key(check, 'refusals')), about[7] or '',
          string.format('%.3f', rate_of(check, about[1], tonumber(about[3] or 0), ended, about[8], counts.executions))}
end

local steps = {}

-- ID TEXT ABOUT SUBMITTER MILLISECONDS PART DEPTH PART_TEXT
function steps.submit(check, text, about, submitter, milliseconds, part, depth, part_text)
  local joined = is_running(check)
  if not joined then
    for _, name in ipairs(names) do redis.call('DEL', key(check, name)) end
    redis.call('HSET', key(check, 'check'), 'text', text, 'about', about, 'state', 'running', 'reason', '', 'begun',
               whole(now), 'open', 1)
    redis.call('HSET', key(check, 'parts'), part, depth .. ' ' .. part_text)
    redis.call('ZADD', key(check, 'queue'), depth, part)
    redis.call('ZREM', ended_checks, check)
    redis.call('ZADD', checks, whole(redis.call('INCR', turn)), check)
  end
  redis.call('ZADD', key(check, 'submitters'), whole(now + milliseconds), submitter)
  return joined and 0 or 1
end

function steps.status(check, submitter, milliseconds)
  reclaim()
  if is_running(check) then redis.call('ZADD', key(check, 'submitters'), whole(now + milliseconds), submitter) end
  return status_of(check)
end

function steps.findings(check)
  return {status_of(check), list_of(key(check, 'sums')), list_of(key(check, 'maxima')), list_of(key(check, 'firsts')),
          whole(redis.call('SCARD', key(check, 'workers')))}
end

function steps.expect(check, estimate)
  if is_running(check) then redis.call('HSETNX', key(check, 'check'), 'expected', estimate) end
  return 1
end

function steps.leave(check, submitter)
  redis.call('ZREM', key(check, 'submitters'), submitter)
  redis.call('ZREMRANGEBYSCORE', key(check, 'submitters'), '-inf', whole(now))
  if not is_running(check) or redis.call('ZCARD', key(check, 'submitters')) > 0 then return 0 end
  finish(check, 'cancelled', 'interrupted')
  return 1
end

function steps.cancel(check)
  if not is_running(check) then return 0 end
  finish(check, 'cancelled', 'cancelled')
  return 1
end

-- WORKER ABOUT TOKEN LEASE REFUSED...: {check, part text}, or how long to wait.
function steps.take(worker, about, token, lease, ...)
  reclaim()
  redis.call('HSET', workers, worker, about)
  redis.call('ZADD', seen, whole(now), worker)
  -- The answer to this very step was lost, and it is sent again.
  local known = lease_of(token)
  if known then
    redis.call('ZADD', leases, whole(now + lease), token)
    return {known.check, string.match(redis.call('HGET', key(known.check, 'parts'), known.part), '^%d+ (.*)$')}
  end
  local refused = {}
  for _, check in ipairs({...}) do refused[check] = true end
  for _, check in ipairs(redis.call('ZRANGE', checks, 0, -1)) do
    local popped = not refused[check] and redis.call('ZPOPMIN', key(check, 'queue')) or {}
    if popped[1] then
      local part = popped[1]
      local text = redis.call('HGET', key(check, 'parts'), part)
      redis.call('ZADD', checks, whole(redis.call('INCR', turn)), check)  -- others' turn
      redis.call('ZADD', leases, whole(now + lease), token)
      redis.call('HSET', tokens, token, check .. ' ' .. part .. ' ' .. whole(now) .. ' ' .. worker)
      redis.call('HSET', key(check, 'running'), token, '0 0 0')
      redis.call('ZREM', idle, worker)
      return {check, string.match(text, '^%d+ (.*)$')}
    end
  end
  redis.call('ZADD', idle, whole(now + 1000), worker)
  -- All workers together come some 20,000 times a second at most.
  return {whole(math.min(500, math.max(10, redis.call('ZCARD', idle) / 20)))}
end

function steps.division(check)
  if not is_running(check) then return false end
  return redis.call('HGET', key(check, 'check'), 'text')
end

-- TOKEN WORKER LEASE "EXECUTIONS BLOCKED TRANSITIONS"
function steps.renew(token, milliseconds, counts)
  reclaim()
  local lease = lease_of(token)
  if not lease then return {'0', '0', '0'} end
  if not is_running(lease.check) then
    end_lease(token, lease)
    return {'0', '0', '0'}
  end
  if not string.match(counts, '^%d+ %d+ %d+$') then return redis.error_reply('ERR the counts are damaged') end
  redis.call('ZADD', leases, whole(now + milliseconds), token)
  redis.call('ZADD', seen, whole(now), lease.worker)
  redis.call('HSET', key(lease.check, 'running'), token, counts)
  local next = math.max(50, redis.call('ZCARD', leases) / 10)
  return {'1', whole(hunger()), whole(math.min(next, milliseconds / 4))}
end

-- TOKEN ABOUT RESULT, a JSON document: sums, maxima (name -> decimal text), firsts (name -> [order, text]), left
-- ([part, depth, text]...), over, reason.
function steps.commit(token, about, result)
  local lease = lease_of(token)
  if not lease then return 0 end
  local check = lease.check
  if not is_running(check) then
    end_lease(token, lease)
    return 0
  end
  -- Nothing is written before all of it is known to be sound: a script that fails in its middle is not undone.
  local found = cjson.decode(result)
  for _, name in ipairs({'sums', 'maxima'}) do
    for _, value in pairs(found[name]) do
      if type(value) ~= 'string' or not string.match(value, '^%d+$') or #value > 18 then
        return redis.error_reply('ERR the findings are damaged')
      end
    end
  end
  for _, first in pairs(found.firsts) do
    if type(first[1]) ~= 'string' or type(first[2]) ~= 'string' or string.find(first[1], ' ', 1, true) then
      return redis.error_reply('ERR the findings are damaged')
    end
  end
  for _, part in ipairs(found.left) do
    if type(part[1]) ~= 'string' or type(part[2]) ~= 'number' or type(part[3]) ~= 'string' then
      return redis.error_reply('ERR the findings are damaged')
    end
    if part[1] ~= lease.part and redis.call('HEXISTS', key(check, 'parts'), part[1]) == 1 then
      return redis.error_reply('ERR a part is open twice')
    end
  end
  end_lease(token, lease)
  redis.call('HSET', workers, lease.worker, about)
  redis.call('SADD', key(check, 'workers'), lease.worker)
  redis.call('HDEL', key(check, 'parts'), lease.part)
  for name, value in pairs(found.sums) do redis.call('HINCRBY', key(check, 'sums'), name, value) end
  for name, value in pairs(found.maxima) do
    if tonumber(value) > tonumber(redis.call('HGET', key(check, 'maxima'), name) or -1) then
      redis.call('HSET', key(check, 'maxima'), name, value)
    end
  end
  for name, first in pairs(found.firsts) do
    local known = redis.call('HGET', key(check, 'firsts'), name)
    if not known or comes_before(first[1], string.match(known, '^(%S*) ')) then
      redis.call('HSET', key(check, 'firsts'), name, first[1] .. ' ' .. first[2])
    end
  end
  if found.over then
    finish(check, 'over', found.reason)
    return 1
  end
  for _, part in ipairs(found.left) do
    redis.call('HSET', key(check, 'parts'), part[1], whole(part[2]) .. ' ' .. part[3])
    redis.call('ZADD', key(check, 'queue'), whole(part[2]), part[1])
  end
  count_open(check, #found.left - 1)
  return 1
end

-- TOKEN CRASHED REASON
function steps.give_back(token, crashed, reason)
  local lease = lease_of(token)
  if not lease then return 0 end
  end_lease(token, lease)
  if crashed == '1' then
    put_back(lease, 'crashes', most_crashes, reason)
  else
    put_back(lease)
  end
  return 1
end

function steps.refuse(check, worker, reason)
  if is_running(check) then redis.call('HSET', key(check, 'refusals'), worker, reason) end
  return 1
end

function steps.overview()
  reclaim()
  redis.call('ZREMRANGEBYSCORE', seen, '-inf', whole(now - alive))
  local workers_shown = {}
  for _, worker in ipairs(redis.call('HKEYS', workers)) do
    local last = redis.call('ZSCORE', seen, worker)
    if last then
      table.insert(workers_shown, {worker, redis.call('HGET', workers, worker), whole(now - tonumber(last))})
    else
      redis.call('HDEL', workers, worker)
    end
  end
  local leases_of = {}
  for _, token in ipairs(redis.call('HKEYS', tokens)) do
    local lease = lease_of(token)
    if lease then
      leases_of[lease.check] = leases_of[lease.check] or {}
      table.insert(leases_of[lease.check], {token, lease.worker, now - lease.since})
    end
  end
  local checks_shown = {}
  for _, set in ipairs({checks, ended_checks}) do
    for _, check in ipairs(redis.call('ZRANGE', set, 0, -1)) do
      local status = status_of(check)
      if status then
        local oldest = leases_of[check] or {}
        table.sort(oldest, function(a, b) return a[3] > b[3] end)
        local shown = {}
        for i = 1, math.min(3, #oldest) do
          local token, worker, age = unpack(oldest[i])
          local counts = redis.call('HGET', key(check, 'running'), token) or '0'
          table.insert(shown, {worker, whole(age), whole(now - (redis.call('ZSCORE', seen, worker) or now)),
                               string.match(counts, '^%d+')})
        end
        table.insert(checks_shown, {check, status, shown})
      else
        redis.call('ZREM', set, check)
      end
    end
  end
  return {workers_shown, checks_shown}
end

local step = steps[ARGV[1]]
if not step then return redis.error_reply('ERR this server has the script of another version') end
if is_new_epoch then
  for _, name in ipairs(redis.call('KEYS', 'heddle:*')) do redis.call('DEL', name) end
  redis.call('HSET', 'heddle:steps', 'epoch', epoch, 'begun', 1)
else
  redis.call('HINCRBY', 'heddle:steps', 'begun', 1)
end
local answer = step(unpack(ARGV, 2))
redis.call('HSET', 'heddle:steps', 'ended', whole(begun + 1))
return answer
