// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Study

/// Every arrow of the diagram, with two options, from each of its three places.
@Suite struct SingleChoiceQuestionTests {
    private static let format = ChoiceFormat(
        options: [.init(value: "a", text: "apple"), .init(value: "b", text: "banana")],
        isMultiple: false)
    private static let apple = QuestionEffect.say(.option(1, text: "apple", isTicked: nil))
    private static let banana = QuestionEffect.say(.option(2, text: "banana", isTicked: nil))

    static let arrows: [([Gesture], [QuestionEffect])] = [
        ([.select], [.leftOut]), ([.undo], [.back]), ([.next], [apple]), ([.previous], [banana]),
        ([.next, .select], [.answered(.choices(["a"]))]), ([.next, .undo], [.say(.undone)]),
        ([.next, .next], [banana]), ([.next, .previous], [.say(.leaveOut)]),
        ([.next, .next, .select], [.answered(.choices(["b"]))]),
        ([.next, .next, .undo], [.say(.undone)]),
        ([.next, .next, .next], [.say(.leaveOut)]), ([.next, .next, .previous], [apple]),
        ([.next, .undo, .undo], [.back]), ([.next, .undo, .select], [.leftOut]),
        ([.next, .undo, .next], [apple]),
        ([.next, .menu], []),
    ]

    @Test(arguments: arrows) func everyArrowLeadsWhereTheDiagramSays(
        _ way: [Gesture], _ effects: [QuestionEffect]
    ) {
        var question = SingleChoiceQuestion(Self.format, layout: .three)
        #expect(question.begin().isEmpty && question.currentPlace == nil)
        let last = way.reduce([QuestionEffect]()) { question.handle(.gesture($1, repeats: 0)) }
        #expect(last == effects)
    }

    /// Each press of a button that is held is one gesture, and only the first counts.
    @Test func aGestureThatRepeatsCountsOnce() {
        var question = SingleChoiceQuestion(Self.format, layout: .three)
        #expect(question.handle(.gesture(.next, repeats: 1)).isEmpty && question.currentPlace == nil)
    }
}
