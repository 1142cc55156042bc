// SPDX-License-Identifier: Apache-2.0
import Study

extension PlatformName {
    package static let esmira = PlatformName(rawValue: "esmira")
}

/// ESMira (KL-Psychological-Methodology): a study is one JSON object of a server, opened by an access key; what
/// happens is sent as datasets, a set of names and values for each event. One of `PlatformCatalog.kinds`.
///
/// It behaves as the Android app 2.22.1 does with a server 3.5.1, except that times are computed by
/// the local calendar.
package struct ESMiraPlatform: StudyPlatform {
    package static let name = PlatformName.esmira
    package static let title = "ESMira"
    /// The app reads times of day by the phone's calendar.
    package static let planZone = PlanZone.participant
    package static let options = ESMiraOptions.all
    package static let example: String? = "ESMira: studyd enroll https://esmira.example.org/ --access-key KEY"

    package init() {}

    /// Data is sent to the server that the study came from.
    package var addressRemedy: String { "enrol from the address of its server" }

    /// Studies as the server gives them, and as its editor saves them.
    package var reader: any StudyReader { ESMiraReader() }
    package var wire: any StudyWire { ESMiraWire() }
    package func server(over device: any PlatformDevice) -> (any StudyServer)? { ESMiraServer(device) }

    /// Certain with an access key, with `esmira:`, and with an address that only an ESMira QR code has.
    package func claim(_ request: JoinRequest) -> PlatformClaim {
        let isSure = request.arguments.has(ESMiraOptions.accessKey.name) && request.isAddress
        if isSure || request.source.hasPrefix("esmira:") { return .certain }
        guard request.isAddress, let address = ESMiraAddress(request.source) else { return .none }
        return address.isPlain ? .possible : .certain
    }

    package func choices(_ arguments: PlatformArguments) throws -> StudyOptions {
        try ESMiraOptions.choices(arguments)
    }

    /// Keeps the id of an earlier study if it has the form of the app's user ids, else draws a new one:
    /// as in the app, an installation has one id for all studies.
    package func pseudonym(before: String?, using generator: inout any RandomNumberGenerator) -> ParticipantID {
        before.flatMap { ESMiraUserID.isValid($0) ? ParticipantID($0) : nil } ?? ESMiraUserID.draw(using: &generator)
    }

    /// The receiver plays the study's server, and serves the study file, from which a demo enrols.
    package func receiverArguments(playing path: String) -> [String] { ["--serve", path, "--esmira", path] }

    package func rehearsal(
        of study: StudyProtocol, at address: String, token: String?, over device: any PlatformDevice
    ) -> EnrolmentPlan {
        EnrolmentPlan(postURL: "\(address)/esmira/")
    }

    /// As in the app: unsent data is still sent, and leaving deletes nothing.
    package func leaving(deletesData: Bool) -> Leaving { Leaving(deletesUnsent: false, erasesAnswers: false) }
}
