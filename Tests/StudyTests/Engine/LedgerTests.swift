// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Study

@Suite struct LedgerTests {
    @Test func everyOutcomeHasItsColumn() {
        var counts = Ledger.OccurrenceCounts()
        let all: [Outcome?] = [.completed, .expired, .missed(.busy), .missed(.deviceOff), .declined, .interrupted, nil]
        for outcome in all { counts.add(outcome) }
        #expect(counts.due == 7 && counts.isBalanced)
        let ledger = Ledger(occurrences: counts)
        #expect(
            ledger.text.split(separator: "\n")[0]
                == "occurrences  due 7 = completed 1 + expired 1 + missed(device-off) 1 + missed(busy) 1 + declined 1 + interrupted 1 + open 1; self-started 0"
        )
        #expect(ledger.json.text.hasSuffix("\"balanced\":true}"))
    }

    @Test func whatDoesNotComeOutEvenSaysSo() {
        var ledger = Ledger()
        ledger.samples.due = 10
        ledger.samples.lost = ["overrun": 1]
        ledger.samples.stored = 8
        #expect(!ledger.isBalanced)
        #expect(ledger.text.contains("samples      due 10 ≠ stored 8 + lost(overrun) 1  DOES NOT BALANCE"))
        ledger.samples.stored = 9
        ledger.items.produced = 6
        (ledger.items.delivered, ledger.items.waiting, ledger.items.sending) = (1, 1, 1)
        (ledger.items.refused, ledger.items.dropped, ledger.items.deleted) = (1, 1, 1)
        #expect(ledger.isBalanced)
    }
}
