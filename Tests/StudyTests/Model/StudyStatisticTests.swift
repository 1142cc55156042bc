// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Study

struct StudyStatisticTests {
    @Test(arguments: [
        (StudyStatistic.Calculation.sum, 9.0), (.average, 3), (.maximum, 6), (.minimum, 1),
    ])
    func valuesBecomeOneNumber(_ calculation: StudyStatistic.Calculation, _ expected: Double) {
        let figure = StudyStatistic(title: "t", unit: "", calculation: calculation, task: "a", question: "q")
        #expect(figure.value(of: [2, 1, 6]) == expected)
        #expect(figure.value(of: []) == nil)
    }

    @Test func activeTasksGiveTheValueThatIsNamed() {
        let kicks = AnswerValue.performance(
            Performance(
                KickRecord(kicks: [], measured: .seconds(90), end: .participant, count: 7, duration: .seconds(90))))
        #expect(kicks.number() == 7 && kicks.number(part: "duration") == 90 && kicks.number(part: "Count") == 7)
        let hanoi = AnswerValue.performance(
            Performance(HanoiRecord(disks: 2, moves: [], illegalMoves: 1, isSolved: true)))
        #expect(hanoi.number() == 0 && hanoi.number(part: "puzzleWasSolved") == 1)
        let games = [SpanRecord.Game(sequence: [1], targets: 4, touches: [], status: .failure, score: 5)]
        let span = AnswerValue.performance(Performance(SpanRecord(games: games, cap: nil)))
        #expect(span.number() == 5 && span.number(part: "NumberofGames") == 1)
        #expect(span.number(part: "NumberofFailures") == 1)
        #expect(AnswerValue.text("7").number() == nil)
    }
}
