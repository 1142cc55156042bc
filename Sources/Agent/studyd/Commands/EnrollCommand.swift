// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Base
import Commands
import Platforms
import Study
import SystemKit

extension HoldTimes: ExpressibleByArgument {}

/// `studyd enroll`: takes a study onto the device.
struct EnrollCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enroll", abstract: "Enrol in a study (checks first that this board can ask every question).",
        discussion: """
            Example: studyd enroll https://example.org/protocol.json --participant P017\
            \(PlatformCatalog.standard.all.compactMap { type(of: $0).example }.map { "\n" + $0 }.joined())\
            \(PlatformOptions.help([.reading, .enrolling]))
            """)

    @OptionGroup var source: SourceOptions
    @OptionGroup var rules: RulesOptions
    @OptionGroup var common: CommonOptions
    @Option(name: .long, help: "The participant's pseudonym (default: generated as the platform does).")
    var participant: String?
    @Option(name: .long, help: "Random seed (default: a new one each time).")
    var seed: UInt64?
    @Option(name: .long, help: "Send records to this address instead of the study's own.")
    var postURL: String?
    @Option(name: .long, help: "Consent recorded by the assistant, on platforms that ask for it.")
    var consent: String?
    @Option(
        name: .long,
        help:
            "The key by which the lab's receiver is to know this device: a file that only its owner can read (default: a new one)."
    )
    var deviceKeyFile: String?
    @Option(
        name: .long,
        help: "The code by which the lab's receiver is to take this device's key ('study-receiver devices codes').")
    var code: String?
    @Flag(name: .long, help: "Enrol even if some of the study's sounds cannot be fetched or played.")
    var withoutSounds = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Leave this task out, e.g. one that the board cannot ask; the log and the status say so. Repeatable.",
            valueName: "task"))
    var without: [String] = []
    @Option(
        name: .long,
        help:
            "How long the participant holds buttons: usual, or slow for slow or trembling hands (print the cards with it, too)."
    )
    var holdTimes = HoldTimes.usual

    func run() async throws {
        let request = try request()
        let clock = try DisciplinedClock.resumed(
            vouched: common.configuration().trustsSystemClock, folder: common.configuration().state)
        warnOf(clock)
        if let text = try RunningAgent.ask(common, .enroll(request: request)) {
            Output.line(text)
            return await warnOfConsent(try? StoreAccess(common, isReading: true))
        }
        let store = try StoreAccess(common, makesStore: true)
        defer { store.restoreOwner() }
        Output.line(try await store.enroller().enrol(request, common.configuration().platforms))
        await warnOfConsent(store)
    }

    private func warnOfConsent(_ store: StoreAccess?) async {
        guard let database = store?.database, let state = try? await database.latestEnrolment(),
            let problem = (try? await database.consent(of: state.record.id))?.problem
        else { return }
        Output.remark("studyd: WARNING: \(problem)")
    }

    private func request() throws -> EnrolmentRequest {
        var request = EnrolmentRequest(source: absolute(Resource.named(source.source)))
        request.platform = try source.platform()
        (request.participant, request.seed) = (participant, seed)
        request.arguments = try source.platforms.arguments()
        request.postURL = postURL
        request.deviceKey = try deviceKeyFile.map(DeviceKey.given)
        request.code = try code.map(checked)
        request.allowsSilence = withoutSounds
        request.without = without
        request.holdTimes = holdTimes
        request.rules = try rules.file()
        request.consent = try consent.map { .init(text: try BoundedFile.text($0), file: $0) }
        return request
    }

    /// The moment of enrolment decides every due time, so the clock should be trusted.
    private func warnOf(_ clock: DisciplinedClock) {
        guard !clock.isTrusted else { return }
        Output.remark(
            """
            studyd: this device's clock is not synchronised (no NTP, GPS or battery-backed clock): prompts are paused until it is, and the \
            study's days count from then on. If you are sure that the clock is right, set trust_system = true under [clock]
            """)
    }

    private func checked(_ code: String) throws -> String {
        guard let code = EnrolmentCode(code) else {
            throw ValidationError("--code: '\(code)' is no code of twelve letters and digits such as 7K3M-Q0ZD-WX5B")
        }
        guard try common.configuration().report != nil else {
            throw FileError(
                path: common.config, message: "has no [report], and a code goes to the lab's receiver with a report",
                remedy: "add it with the receiver's address as its url, or leave --code out")
        }
        return code.text
    }

    /// A path made absolute, since the agent that reads it may run in another folder; an address as it is.
    private func absolute(_ source: String) -> String {
        source.firstRange(of: "://") == nil ? Resource.absolute(source) ?? source : source
    }
}
