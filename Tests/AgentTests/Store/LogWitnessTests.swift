// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Agent
@testable import Study

/// What one upload says of the log must never contradict what another says, in whatever order they
/// arrive: the receiver takes that for forgery. The rule it keeps to is in its `LogHeads`, after
/// RFC 9162: a head that was once reported has to be in every later history.
@Suite struct LogWitnessTests {
    private static let stamp = EventStamp(
        wall: Instant(seconds: 1_780_000_000), monotonic: .zero, bootID: "boot", zoneOffset: 0, enrolment: "e")

    /// A store with `count` items that wait.
    private func store(_ count: Int) async throws -> (StudyDatabase, [String]) {
        let database = try StudyDatabase(.memory)
        for number in 0..<count {
            let draft = OutboxDraft(
                origin: "o\(number)", itemClass: .answers, destination: "study",
                content: .request(WireRequest(method: "POST", url: "http://x/", headers: [], body: [UInt8(number)])))
            try await database.append([], sending: [draft], at: Self.stamp)
        }
        return (database, try await database.items().map(\.item.id))
    }

    private func rows(_ database: StudyDatabase, _ item: String) async throws -> [Int64] {
        let witness = try #require(try await database.witness(of: item))
        return witness.text.split(separator: " ").dropFirst().compactMap { word in
            word.split(separator: ":").first.flatMap { Int64($0) }
        }
    }

    private func start(_ database: StudyDatabase, _ item: String) async throws -> Int64 {
        #expect(try await database.startUpload(item, at: Self.stamp))
        return try #require(try await database.events(kind: "uploadStarted").last?.sequence)
    }

    /// Presses come at any moment; the next upload would not name the row of one.
    @Test func whatIsWrittenBetweenTheStartAndItsTellingIsNotTold() async throws {
        let (database, items) = try await store(2)
        let first = try await start(database, items[0])
        try await database.append([.pressed(button: 1, at: .zero)], at: Self.stamp)
        #expect(try await rows(database, items[0]) == [first])
        let second = try await start(database, items[1])
        #expect(try await rows(database, items[1]) == [second, first])
        #expect(try await rows(database, items[0]) == [first], "told late, it is the same")
    }

    /// A large file is compressed before its first byte goes out, and answers
    /// overtake it meanwhile.
    @Test func anUploadThatIsStillUnderWayIsNamedByAllThatOvertakeIt() async throws {
        let (database, items) = try await store(8)
        let slow = try await start(database, items[0])
        var starts: [Int64] = []
        for item in items.dropFirst() {
            starts.append(try await start(database, item))
            let told = try await rows(database, item)
            #expect(told.first == starts.last && told.contains(slow), "\(told)")
            #expect(told.prefix(4).dropFirst().elementsEqual(([slow] + starts.dropLast()).suffix(3).reversed()))
            #expect(told == told.sorted(by: >) && told.count <= 7)
            try await database.finishUpload(item, .delivered(receipt: "200"), at: Self.stamp)
        }
        #expect(try await rows(database, items[0]) == [slow])
    }

    /// Small items are begun eight at a time; the other lane's next file is told before their turn.
    @Test func allThatWereBegunTogetherAreNamedByWhatOvertakesThem() async throws {
        let (database, items) = try await store(10)
        var starts: [Int64] = []
        for item in items.dropLast() { starts.append(try await start(database, item)) }
        let overtaking = try await start(database, items[9])
        #expect(try await rows(database, items[9]) == [overtaking] + starts.reversed())
    }
}
