// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Agent

/// What only a real bus or a long life can bring about is decided by the same value.
@Suite struct TakeoverPlanTests {
    private func decision(
        _ setup: String = TakeoverFixture.setup(), _ change: (inout TakeoverFacts) -> Void = { _ in }
    ) throws -> TakeoverPlan.Decision {
        var facts = TakeoverFacts()
        facts.study = .read(id: "S1", refusals: [])
        facts.freeBytes = TakeoverPlan.leastSpace
        change(&facts)
        return TakeoverPlan(setup: try SetupFile(parsing: Array(setup.utf8)), facts: facts).decision
    }

    private func mistakes(_ decision: TakeoverPlan.Decision) -> [TakeoverMistake] {
        if case .refuse(let mistakes) = decision { mistakes } else { [] }
    }

    @Test func theLeastSpaceItselfIsEnough() throws {
        #expect(try decision() == .take([.install, .configure, .keepSecrets, .enrol, .enable, .wipe], remarks: []))
        #expect(try mistakes(decision { $0.freeBytes = TakeoverPlan.leastSpace - 1 }).map(\.kind) == [.diskFull])
    }

    @Test(arguments: ["", "P1 ", "P\\n1"])
    func aParticipantWhoseNameCannotBeSentIsAMistakeOfTheSetup(_ name: String) {
        let text = TakeoverFixture.setup(participant: name)
        let mistake = #expect(throws: TakeoverMistake.self) { try SetupFile(parsing: Array(text.utf8)) }
        #expect(mistake?.kind == .badSetup)
        #expect(mistake?.explanation.place?.contains("participant") == true, "\(String(describing: mistake))")
    }

    @Test func allThatIsWrongIsSaidAtOnce() throws {
        let found = try mistakes(
            decision {
                $0.freeBytes = 0
                $0.consent = Explanation(cause: "none")
                $0.board = .unknown(["breadboard"])
                $0.study = .missing
            })
        #expect(found.map(\.kind) == [.diskFull, .badConsent, .unknownBoard, .noStudy])
    }

    /// Without the package's boards there is none to name.
    @Test(arguments: [
        ([], "write the name of a file beside setup.toml"),
        (["breadboard"], "write one of breadboard, or the name of a file beside setup.toml"),
        (["a", "b"], "write one of a, b, or the name of a file beside setup.toml"),
    ]) func anUnknownBoardIsAnsweredWithThoseThatAreInstalled(_ names: [String], _ remedy: String) throws {
        let found = try mistakes(decision { $0.board = .unknown(names) })
        #expect(found.first?.explanation.remedy == remedy, "\(found)")
    }

    @Test(arguments: [true, false]) func aNetworkFileThatIsNotReadIsNamedWhereThereIsNoNetwork(isUnused: Bool) throws {
        func change(_ facts: inout TakeoverFacts) {
            (facts.hasNetwork, facts.isClockTrusted, facts.isNetworkFileUnused) = (false, false, isUnused)
        }
        let words = "network-config beside the folder is not used: it is read at a card's first boot alone"
        let taken = try decision { change(&$0) }
        guard case .take(_, let remarks) = taken else {
            Issue.record("a study of the folder needs no network: \(taken)")
            return
        }
        let refused = try decision(TakeoverFixture.setup(study: "https://study.example.org/p.json")) { change(&$0) }
        for found in [remarks, mistakes(refused)] {
            #expect(found.count == 1 && found[0].explanation.cause.contains(words) == isUnused, "\(found)")
            // `Explanation` puts "; " and the remedy behind it.
            #expect(found.first?.explanation.cause.hasSuffix(".") == false, "\(found)")
        }
    }

    @Test(arguments: [(true, true), (true, false), (false, true), (false, false)])
    func aWiFiThatIsPassedOverIsSaidOnce(hasNetwork: Bool, isClockTrusted: Bool) throws {
        let taken = try decision {
            ($0.hasNetwork, $0.isClockTrusted) = (hasNetwork, isClockTrusted)
            ($0.ignoredWiFi, $0.isNetworkFileUnused) = ("lab", true)
        }
        guard case .take(_, let remarks) = taken else {
            Issue.record("\(taken)")
            return
        }
        #expect(remarks.map(\.kind) == [hasNetwork || isClockTrusted ? .ignoredWiFi : .oldClock])
        #expect(remarks.map(\.explanation.cause).joined().contains("read at a card's first boot alone"))
    }

    @Test func chipsThatAreOthersAreNamedOneByOne() throws {
        var parts = TakeoverFacts.Parts()
        parts.wrongChips = [Explanation(cause: "LIS3DH 0x18 is silent"), Explanation(cause: "LIS3MDL 0x1C is silent")]
        #expect(try mistakes(decision { $0.board = .known(parts) }).map(\.kind) == [.wrongChip, .wrongChip])
        // Nothing can be said of chips behind a bus that is off.
        parts.missingBuses = ["/dev/i2c-1"]
        #expect(try mistakes(decision { $0.board = .known(parts) }).map(\.kind) == [.busOff])
    }

    @Test(arguments: [
        ("/dev/i2c-1", nil, "switch the bus on"), ("/dev/i2c-1", "dtparam=i2c_arm=on", "off and on once more"),
        ("/dev/i2c-0", "dtparam=i2c_arm=on", "add the line dtparam=i2c_vc=on"),
    ])
    func theLineThatIsMissingBelongsToTheBus(_ bus: String, _ config: String?, _ remedy: String) throws {
        var parts = TakeoverFacts.Parts()
        parts.missingBuses = [bus]
        let found = try mistakes(
            decision {
                $0.board = .known(parts)
                $0.bootConfig = config
            })
        #expect(found.first?.explanation.remedy?.contains(remedy) == true, "\(found)")
    }

    /// Who was on the device before, and what becomes of a folder for P001 in study S1.
    @Test(arguments: [
        (TakeoverFacts.Participation(participant: "P001", study: "S1"), TakeoverFixture.key, nil),
        (.init(participant: "P001", study: "S1"), "another", TakeoverMistake.Kind.secondFolder),
        (.init(participant: "P001", study: "S2"), TakeoverFixture.key, .otherParticipant),
        (.init(participant: "P002", study: "S1"), TakeoverFixture.key, .otherParticipant),
        (.init(participant: "P002", study: "S1", hasLeft: true), TakeoverFixture.key, .otherParticipant),
    ])
    func aDeviceIsOnePersons(
        _ present: TakeoverFacts.Participation, _ key: String, _ kind: TakeoverMistake.Kind?
    ) throws {
        let decision = try decision {
            $0.participation = present
            $0.deviceKey = key
        }
        #expect(mistakes(decision).map(\.kind) == [kind].compactMap(\.self))
        #expect((decision == .wipeAgain(remarks: [])) == (kind == nil))
    }

    /// Who left may come back; the platform decides.
    @Test func whoLeftMayBeEnrolledAgain() throws {
        let decision = try decision {
            $0.participation = .init(participant: "P001", study: "S1", hasLeft: true)
            $0.deviceKey = TakeoverFixture.key
        }
        if case .take = decision { return }
        Issue.record("\(decision)")
    }
}
