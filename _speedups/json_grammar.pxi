# The push-down JSON grammar over C characters; included in scanner.pyx, step for step `JsonScanner._run` of the pure twin.

cdef enum:
    C_NEED, C_CLOSED, C_BROKEN, C_KEY, C_VALUE, C_END

# Where in the grammar a scanner is. Blanks may come in all states from IN_ANY on.
cdef enum:
    IN_STRING, IN_ESCAPE, IN_HEX, IN_LITERAL
    IN_MINUS, IN_ZERO, IN_INT, IN_POINT, IN_FRACTION, IN_E, IN_E_SIGN, IN_E_INT
    IN_GONE
    IN_ANY, IN_MEMBER, IN_ARRAY_FIRST, IN_OBJECT_FIRST, IN_NAME, IN_COLON, IN_AFTER, IN_DONE


# Eight bytes of text are looked at as one number, with a lane for each character (the "has less" test of Sean Anderson's
# Bit Twiddling Hacks, https://graphics.stanford.edu/~seander/bithacks.html#HasLessInWord): it tells
# without fail whether a lane is below a limit, though not which, so the characters of a hit are looked at one by one.


cdef inline uint64_t _ones(const char_t *d) noexcept nogil:
    """Return the number with a 1 in every lane."""
    return ~<uint64_t>0 // ((<uint64_t>1 << 8 * sizeof(char_t)) - 1)


cdef inline uint64_t _tops(const char_t *d) noexcept nogil:
    """Return the number with the highest bit of every lane set."""
    return _ones(d) << 8 * sizeof(char_t) - 1


cdef inline uint64_t _below(uint64_t word, uint64_t limits) noexcept nogil:
    """Set the highest bit of a lane if some lane is below its limit, 1 to 128; the other bits say nothing."""
    return (word - limits) & ~word


cdef struct Scan:
    int state
    int status
    int hexes               # hex digits still to come of an escape
    bint in_name
    bint too_deep
    bint watch              # the top value is an object whose members are to be said
    uint32_t kind           # first character of the top value, 0 before it came
    const char *rest        # letters still to come of a literal
    Py_ssize_t depth
    Py_ssize_t max_depth
    uint8_t *levels         # one bit a level, from the lowest bit of the first byte: 1 for an object, 0 for an array
    Py_ssize_t room         # levels that `levels` has bits for
    uint8_t first[16]       # where `levels` is while 128 of them are enough


cdef bint _grow(Scan *s) noexcept nogil:
    """Double the room for levels; False if there is no memory."""
    cdef uint8_t *old = NULL if s.levels == s.first else s.levels
    cdef uint8_t *levels = <uint8_t *>PyMem_RawRealloc(old, s.room // 4)
    if levels == NULL:
        return False
    if old == NULL:
        memcpy(levels, s.first, sizeof(s.first))
    s.levels = levels
    s.room *= 2
    return True


cdef inline bint _in_object(const Scan *s, Py_ssize_t depth) noexcept nogil:
    """Tell whether the innermost of `depth` open values is an object."""
    return depth > 0 and (s.levels[(depth - 1) >> 3] >> ((depth - 1) & 7)) & 1


cdef inline bint _white(uint32_t c) noexcept nogil:
    return c == 32 or c == 10 or c == 13 or c == 9


cdef inline bint _plain(uint32_t c) noexcept nogil:
    """Tell whether a character is nothing special inside a string."""
    return c != 34 and c != 92 and c >= 32


cdef inline Py_ssize_t _skip_plain(const char_t *d, Py_ssize_t i, Py_ssize_t n) noexcept nogil:
    """Return the index of the first of d[i:n] that is special inside a string, n if there is none."""
    cdef uint64_t word, one = _ones(d)
    while n - i >= <Py_ssize_t>(8 // sizeof(char_t)):
        memcpy(&word, d + i, 8)
        if (_below(word, one * 32) | _below(word ^ one * 34, one) | _below(word ^ one * 92, one)) & _tops(d):
            break
        i += 8 // sizeof(char_t)
    while i < n and _plain(d[i]):
        i += 1
    return i


cdef inline int _number_after(int state, uint32_t c) noexcept nogil:
    """Return where in a number its character `c` leads, -1 if its grammar does not have it there."""
    if 48 <= c <= 57:
        if state == IN_INT or state == IN_FRACTION or state == IN_E_INT:
            return state
        if state == IN_MINUS:
            return IN_ZERO if c == 48 else IN_INT
        if state == IN_POINT:
            return IN_FRACTION
        if state == IN_E or state == IN_E_SIGN:
            return IN_E_INT
    elif c == c'.':
        if state == IN_ZERO or state == IN_INT:
            return IN_POINT
    elif c == c'e' or c == c'E':
        if state == IN_ZERO or state == IN_INT or state == IN_FRACTION:
            return IN_E
    elif (c == c'-' or c == c'+') and state == IN_E:
        return IN_E_SIGN
    return -1


cdef inline bint _whole_number(int state) noexcept nogil:
    return state == IN_ZERO or state == IN_INT or state == IN_FRACTION or state == IN_E_INT


cdef Py_ssize_t _run(Scan *s, const char_t *d, Py_ssize_t i, Py_ssize_t n) noexcept nogil:
    """Read d[i:n] and return the index just past the last character read; -1 if there is no memory."""
    cdef int state = s.state, status = C_NEED, after
    cdef Py_ssize_t depth = s.depth
    cdef bint in_object = _in_object(s, depth)
    cdef uint32_t c
    if state == IN_GONE:
        return i
    while i < n:
        c = d[i]
        if state >= IN_ANY and _white(c):
            i += 1
            continue

        if state == IN_STRING:
            if _plain(c):
                i = _skip_plain(d, i + 1, n)
                continue
            if c == c'\\':
                i += 1
                state = IN_ESCAPE
                continue
            if c != c'"':
                status = C_BROKEN
                break
            i += 1
            if s.in_name:
                s.in_name = False
                state = IN_COLON
                if s.watch and depth == 1:
                    status = C_KEY
                    break
                continue

        elif state == IN_ANY or state == IN_ARRAY_FIRST:
            if c == c'"':
                state = IN_STRING
            elif c == c'{' or c == c'[':
                if depth >= s.max_depth:
                    s.too_deep = True
                    status = C_BROKEN
                    break
                if depth == s.room and not _grow(s):
                    return -1
                in_object = c == c'{'
                if in_object:
                    s.levels[depth >> 3] |= <uint8_t>(1 << (depth & 7))
                    state = IN_OBJECT_FIRST
                else:
                    s.levels[depth >> 3] &= <uint8_t>~(1 << (depth & 7))
                    state = IN_ARRAY_FIRST
                depth += 1
            elif c == c't':
                s.rest = b"rue"
                state = IN_LITERAL
            elif c == c'f':
                s.rest = b"alse"
                state = IN_LITERAL
            elif c == c'n':
                s.rest = b"ull"
                state = IN_LITERAL
            elif c == c'-':
                state = IN_MINUS
            elif c == c'0':
                state = IN_ZERO
            elif 49 <= c <= 57:
                state = IN_INT
            elif c != c']' or state != IN_ARRAY_FIRST:
                status = C_BROKEN
                break
            else:
                state = IN_AFTER
            i += 1
            if state != IN_AFTER:
                if s.kind == 0:
                    s.kind = c
                    s.watch = s.watch and c == c'{'
                continue
            depth -= 1
            in_object = _in_object(s, depth)

        elif state == IN_OBJECT_FIRST or state == IN_NAME:
            if c == c'"':
                i += 1
                s.in_name = True
                state = IN_STRING
                continue
            if c != c'}' or state == IN_NAME:
                status = C_BROKEN
                break
            i += 1
            depth -= 1
            in_object = _in_object(s, depth)

        elif state == IN_AFTER:
            if c == c',':
                i += 1
                state = IN_NAME if in_object else IN_ANY
                continue
            if c != <uint32_t>(c'}' if in_object else c']'):
                status = C_BROKEN
                break
            i += 1
            depth -= 1
            in_object = _in_object(s, depth)

        elif state == IN_COLON:
            if c != c':':
                status = C_BROKEN
                break
            i += 1
            state = IN_MEMBER if s.watch and depth == 1 else IN_ANY
            continue

        elif state == IN_MEMBER:
            if not (
                c == c'"' or c == c'{' or c == c'[' or c == c'-' or 48 <= c <= 57 or c == c't' or c == c'f' or c == c'n'
            ):
                status = C_BROKEN
                break
            state = IN_ANY
            status = C_VALUE
            break

        elif state == IN_LITERAL:
            if c != <uint8_t>s.rest[0]:
                status = C_BROKEN
                break
            i += 1
            s.rest += 1
            if s.rest[0]:
                continue

        elif state == IN_ESCAPE:
            if c == c'u':
                s.hexes = 4
                state = IN_HEX
            elif (
                c == c'"' or c == c'\\' or c == c'/' or c == c'n' or c == c't' or c == c'r' or c == c'b' or c == c'f'
            ):
                state = IN_STRING
            else:
                status = C_BROKEN
                break
            i += 1
            continue

        elif state == IN_HEX:
            if not (48 <= c <= 57 or 97 <= (c | 32) <= 102):
                status = C_BROKEN
                break
            i += 1
            s.hexes -= 1
            if s.hexes == 0:
                state = IN_STRING
            continue

        elif state == IN_DONE:
            status = C_BROKEN
            break

        else:  # in a number
            after = _number_after(state, c)
            if after >= 0:
                state = after
                i += 1
                continue
            # Behind a whole one may come what no number has: at the top anything, in a watched object a delimiter.
            if (
                not _whole_number(state)
                or (depth == 0 and (48 <= c <= 57 or c == c'+' or c == c'-' or c == c'.' or c == c'e' or c == c'E'))
                or (s.watch and depth == 1 and not (c == c',' or c == c'}' or _white(c)))
            ):
                status = C_BROKEN
                break

        # A value has ended.
        if depth == 0:
            state = IN_DONE
            break
        state = IN_AFTER
        if s.watch and depth == 1:
            status = C_END
            break

    if status == C_BROKEN:
        state = IN_GONE
    elif state == IN_DONE:
        status = C_CLOSED
    s.state = state
    s.status = status
    s.depth = depth
    return i
