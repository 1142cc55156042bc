// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Glibc
import Lab

/// The options of `study-receiver` that make `ChosenStandIns`.
package struct StandInOptions: StandInArguments {
    @Option(
        help: ArgumentHelp(
            "Stand in for FDA MyStudies below /mystudies with the study in this folder. Repeatable.", valueName: "dir"))
    var mystudies: [String] = []

    @Option(
        help: ArgumentHelp(
            "Stand in for ESMira's server below /esmira with the studies in this folder or file. Repeatable.",
            valueName: "dir"))
    var esmira: [String] = []

    @Option(
        help: ArgumentHelp(
            "Stand in for a Sage Bionetworks Bridge server below /bridge with the accounts in bridge.json of this folder.",
            valueName: "dir"))
    var bridge: String?

    @Option(help: "An application allowed to read its metadata: ios:BUNDLE:TOKEN or android:BUNDLE:TOKEN. Repeatable.")
    var application: [String] = []

    @Option(
        help: ArgumentHelp(
            "Require the headers applicationId and orgId like the real servers, with this orgId.", valueName: "id"))
    var organisation: String?

    @Flag(help: "Check FDA MyStudies answers at once, and refuse what the platform would reject only later.")
    var strict = false

    @Option(help: ArgumentHelp("Seconds until answers are checked, unless --strict.", valueName: "seconds"))
    var patience = 2

    @Option(
        help: ArgumentHelp(
            "More accounts for its registration server, besides accounts.json in the study folders.", valueName: "file")
    )
    var accounts: String?

    @Option(help: ArgumentHelp("Minutes until a sign-in there expires.", valueName: "minutes"))
    var session = 30

    @Option(help: ArgumentHelp("Print this many new enrolment tokens for a tokens.txt, and exit.", valueName: "number"))
    var makeTokens: Int?

    package init() {}

    package func validate() throws {
        guard (0...86_400).contains(patience) else { throw ValidationError("--patience must be 0 to 86400 seconds") }
        guard (0...100_000).contains(session) else { throw ValidationError("--session must be 0 to 100000 minutes") }
        guard (1...100_000).contains(makeTokens ?? 1) else {
            throw ValidationError("--make-tokens must be 1 to 100000")
        }
        for text in application where StandInApplication(text) == nil {
            throw ValidationError("--application \(text): use ios:BUNDLE:TOKEN or android:BUNDLE:TOKEN")
        }
        if let accounts, access(accounts, R_OK) != 0 {
            throw ValidationError("--accounts \(accounts): \(String(cString: strerror(errno)))")
        }
    }

    package var choice: any StandInChoice {
        ChosenStandIns(
            mystudies: mystudies, applications: application.compactMap(StandInApplication.init),
            organisation: organisation, isStrict: strict, patience: .seconds(patience), accounts: accounts,
            sessionLifetime: .seconds(session * 60), esmira: esmira, bridge: bridge)
    }

    package var studies: [String] { mystudies + esmira }

    package static func participantRows(of participant: String) -> [ParticipantRows] {
        [BridgeAPI.participantRows, MyStudiesStore.participantRows(of: participant), ESMiraTables.participantRows]
    }

    /// With --make-tokens: new tokens, printed instead of starting the server.
    package var printed: [String]? {
        makeTokens.map { count in
            var generator = SystemRandomNumberGenerator()
            return (0..<count).map { _ in MyStudiesToken.random(using: &generator) }
        }
    }
}
