// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Agent
@testable import Study

struct StudyEventTests {
    @Test(arguments: Fixture.everything)
    func everyEventComesBackAsItWasWritten(event: StudyEvent) throws {
        let (kind, body) = try event.stored()
        #expect(try StudyEvent(kind: kind, body: body) == event)
        #expect(try event.stored().body == body)
    }

    /// The file format: what was written once has to be read for ever.
    @Test(arguments: [
        ("listOpened", "{}"), ("pressed", #"{"at":9007199254740993,"button":1}"#),
        (
            "concluded",
            #"{"occurrence":{"due":1800003600000000000,"expires":1800004200000000000,"id":"mood/1","isHidden":false,"isSignalled":true,"local":[20833,36000000000000],"number":101,"resolution":"repeated","task":"mood","taskIndex":2},"outcome":"completed"}"#
        ),
        ("gap", #"{"from":0,"reason":"stall","samples":48,"source":"sound","to":1}"#),
        ("variableSet", #"{"name":"count","value":{"number":3}}"#),
    ])
    func theSpellingStays(kind: String, body: String) throws {
        let event = try StudyEvent(kind: kind, body: body)
        #expect(Fixture.everything.contains(event))
        #expect(try event.stored() == (kind, body))
    }

    /// A row of a version that did not know what the lab is asked for is written as it was.
    @Test(arguments: [
        (#"{"deletesUnsent":false}"#, StudyEvent.withdrawn(deletesUnsent: false)),
        (#"{"deletesData":true,"deletesUnsent":true}"#, .withdrawn(deletesUnsent: true, deletesData: true)),
    ])
    func aWithdrawalSaysWhetherDeletionWasAskedFor(body: String, event: StudyEvent) throws {
        #expect(try StudyEvent(kind: "withdrawn", body: body) == event)
        #expect(try event.stored() == ("withdrawn", body))
    }
}
