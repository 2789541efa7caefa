"""The machines: declared once, compiled to bytes, proved equal to `transitions`, drawn from what runs.

There are three, and each stream has its own:

- TURN, one per stream: what kind of part the reply is in, whether it is finished, cut or done.
- SLOT, one per call: one TURN state cannot say "slot 0 has its arguments while slot 1 forms".
- LEX, one per stream that looks for calls in text: driven by the scanner, it emits the same triggers into the same
  TURN and SLOT as a native wire does.

The rules:

1. A row is (trigger, source, dest, actions). There is one row at most for a (trigger, source).
2. Everything that moves a machine stands in its table: no state in stray flags, no branch beside the table.
3. Actions never choose. Where an outcome depends on data, a judge picks the trigger first, and the table decides what
   that trigger means. Several actions of a row run in the order written.
4. A trigger without a row is illegal: nothing moves and no action runs.
5. Triggers have one numbering for TURN and SLOT, so that the TURN action `slot` hands its trigger on as it is.
6. The code steps the compiled table and nothing else; `transitions` is loaded by `reference` alone, and the diagrams
   are drawn from the compiled cells.
7. A final state is left by no row.

`declare` has the rows and every check on them, `table` the compiled form, `reference` the same as a machine of
`transitions`, `prove` what is proved over the cells, `diagram` the drawings, `rows` the groups that machines share.
"""
