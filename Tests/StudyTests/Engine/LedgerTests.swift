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

    /// Not part of the sum.
    @Test func whatWasStartedAndLeftIsNamed() {
        var counts = Ledger.OccurrenceCounts()
        (counts.selfStarted, counts.selfStartedLeft) = (3, 2)
        let ledger = Ledger(occurrences: counts)
        #expect(ledger.text.split(separator: "\n")[0].hasSuffix("; self-started 3 and 2 left") && counts.isBalanced)
        #expect(ledger.json.text.contains("\"selfStarted\":3,\"selfStartedLeft\":2}"))
    }

    /// Treated and control, and the reasons of the others, are all points; presented, waiting and
    /// the reasons of the others are all treated ones; outcomes likewise.
    @Test(arguments: [nil, 0, 1, 2]) func eachSumOfDecisionsComesOutEvenOrSaysSo(odd: Int?) {
        var counts = Ledger.DecisionCounts()
        counts.add(.treated, reason: nil, count: 3)
        counts.add(.control, reason: nil, count: 2)
        counts.add(.unavailable, reason: "not-worn")
        counts.add(.missed, reason: "device-off")
        (counts.presented, counts.waiting, counts.notPresented) = (1, 1, ["busy": 1])
        for outcome in ["awaited", "measured", "coverage", nil] { counts.addOutcome(outcome) }
        switch odd {
        case 0?: counts.control += 1
        case 1?: counts.presented += 1
        case 2?: counts.measured += 1
        default: break
        }
        #expect([counts.isDecided, counts.isPrompted, counts.isMeasured] == (0...2).map { $0 != odd })
        #expect(counts.isBalanced == (odd == nil))
        let lines = counts.text.split(separator: "\n")
        #expect(lines.map { $0.hasSuffix("  DOES NOT BALANCE") } == (0...2).map { $0 == odd })
        if odd == nil {
            #expect(
                lines == [
                    "decisions    due 7 = treated 3 + control 2 + unavailable(not-worn) 1 + missed(device-off) 1",
                    "treated      raised 3 = presented 1 + waiting 1 + not presented(busy) 1",
                    "outcomes     due 3 = measured 1 + missing(coverage) 1 + waiting 1",
                ])
        }
    }

    /// What was decided is every point but those missed, whichever arm it was in.
    @Test func aBlindedLedgerTellsNoArm() {
        var counts = Ledger.DecisionCounts()
        counts.add(.treated, reason: nil, count: 3)
        counts.add(.control, reason: nil, count: 2)
        counts.add(.unavailable, reason: "not-worn")
        counts.add(.missed, reason: "device-off")
        counts.add(.missed, reason: "late", count: 2)
        for outcome in ["awaited", "measured", "coverage"] { counts.addOutcome(outcome) }
        var ledger = Ledger()
        (ledger.decisions, ledger.isBlinded) = (counts, true)
        let lines = ledger.text.split(separator: "\n").filter { !$0.hasPrefix("occ") && !$0.hasPrefix("samples") }
        #expect(
            lines.dropLast() == [
                "decisions    due 9 = decided 6 + missed(device-off) 1 + missed(late) 2",
                "outcomes     due 3 = measured 1 + missing(coverage) 1 + waiting 1",
            ])
        #expect(lines.last?.hasPrefix("items ") == true)
        let json = ledger.json.text
        #expect(json.contains(#""due":9,"decided":6,"missed":{"device-off":1,"late":2}"#))
        for arm in ["treated", "control", "unavailable"] { #expect(!json.contains(arm) && !ledger.text.contains(arm)) }
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

    @Test func aTreatedPointsPromptIsPresentedWaitsOrEndedForItsReason() {
        var counts = Ledger.DecisionCounts()
        let ends: [(Bool, Outcome?)] = [
            (true, nil), (true, .completed), (false, nil), (false, .missed(.busy)), (false, .missed(.busy)),
            (false, .declined),
        ]
        for (isPresented, outcome) in ends { counts.addPrompt(isPresented: isPresented, outcome: outcome) }
        #expect(counts.presented == 2 && counts.waiting == 1 && counts.notPresented == ["busy": 2, "declined": 1])
    }

    /// Each that was awaited is measured or missing, and still counted once.
    @Test func anOutcomeThatWasAwaitedIsMovedAndNotAdded() {
        var counts = Ledger.DecisionCounts()
        counts.addOutcome("awaited", count: 3)
        #expect(counts.outcomesDue == 3 && counts.awaited == 3)
        for outcome in ["measured", "device-off"] { counts.endAwaited(outcome) }
        #expect(counts.outcomesDue == 3 && counts.awaited == 1 && counts.measured == 1)
        #expect(counts.missing == ["device-off": 1] && counts.isMeasured)
    }

    @Test(arguments: [(0, false), (1, true), (2, true)]) func samplesThatNoOneCountedAreNamedWhereThereAreAny(
        uncounted: Int, isNamed: Bool
    ) {
        var ledger = Ledger()
        (ledger.samples.uncounted, ledger.samples.stored) = (uncounted, uncounted)
        #expect(ledger.json.text.contains("\"uncounted\":\(uncounted)") == isNamed)
        let line = ledger.text.split(separator: "\n").first { $0.hasPrefix("samples") } ?? ""
        let said = isNamed ? "; \(uncounted) of a run that was cut off: the next start counts what else was due" : ""
        #expect(line == "samples      due \(uncounted) = stored \(uncounted) + lost 0\(said)")
    }
}
