// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Base
import Commands
import Glibc
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
        let clock = try DisciplinedClock.carried(
            vouched: common.configuration().trustsSystemClock, folder: common.configuration().state)
        warnOf(clock)
        if let text = try RunningAgent.ask(common, .enroll(request: request)) { return Output.line(text) }
        let store = try StoreAccess(common, makesStore: true)
        defer { store.restoreOwner() }
        Output.line(try await store.enroller().enrol(request, common.configuration().platforms))
    }

    private func request() throws -> EnrolmentRequest {
        var request = EnrolmentRequest(source: absolute(Resource.named(source.source)))
        request.platform = try source.platform()
        (request.participant, request.seed) = (participant, seed)
        request.arguments = try source.platforms.arguments()
        request.postURL = postURL
        request.deviceKey = try deviceKeyFile.map(DeviceKey.given)
        request.code = try code.map(Self.checked)
        request.allowsSilence = withoutSounds
        request.without = without
        request.holdTimes = holdTimes
        request.rules = try rules.file()
        request.consent = try consent.map { .init(text: try BoundedFile.text($0), file: $0) }
        return request
    }

    /// The moment of enrolment decides every due time, so the clock should be trusted.
    private func warnOf(_ clock: DisciplinedClock) {
        guard !clock.isCertain else { return }
        Output.remark(
            """
            studyd: this device's clock is not synchronised (no NTP, GPS or battery-backed clock): prompts are paused until it is, and the \
            study's days count from then on. If you are sure that the clock is right, set trust_system = true under [clock]
            """)
    }

    private static func checked(_ code: String) throws -> String {
        guard let code = EnrolmentCode(code) else {
            throw ValidationError("--code: '\(code)' is no code of twelve letters and digits such as 7K3M-Q0ZD-WX5B")
        }
        return code.text
    }

    /// A path made absolute, since the agent that reads it may run in another folder; an address as it is.
    private func absolute(_ source: String) -> String {
        guard source.firstRange(of: "://") == nil, let path = realpath(source, nil) else { return source }
        defer { free(path) }
        return String(cString: path)
    }
}

/// `studyd withdraw`: leaves the study.
struct WithdrawCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "withdraw", abstract: "Leave the study and tell its server.",
        discussion: """
            Unsent data is sent first, for a few seconds. Whatever is left is kept, and studyd keeps sending it to the study you left,
            even when the device joins another one. If the study deletes its data, nothing more is sent, and the answers are
            erased from this device too; the log keeps the proof. What the lab's receiver, buckets and sticks have stays there.
            Before you give the device to somebody else, run 'studyd hand-over'.
            Example: studyd withdraw
            Example: studyd withdraw --delete-unsent
            """
    )

    @OptionGroup var common: CommonOptions
    @Flag(name: .long, help: "Delete unsent data, whatever the platform's rule.")
    var deleteUnsent = false
    @Flag(name: .long, help: "Keep and send unsent data, whatever the platform's rule.")
    var keepUnsent = false
    @Flag(
        name: .long,
        help: "If the study lets the participant choose: delete the answers, at the study and on this device.")
    var deleteData = false
    @Flag(name: .long, help: "If the study lets the participant choose: the study keeps the answers.")
    var keepData = false

    func validate() throws {
        guard !(deleteData && keepData) else { throw ValidationError("use --delete-data or --keep-data, not both") }
        guard !(deleteData && keepUnsent) else {
            throw ValidationError(
                "use --delete-data or --keep-unsent, not both: data to be deleted need not be sent first")
        }
        guard !(deleteUnsent && keepUnsent) else {
            throw ValidationError("use --delete-unsent or --keep-unsent, not both")
        }
    }

    func run() async throws {
        let unsent: Bool? = deleteUnsent ? true : keepUnsent ? false : nil
        let data: Bool? = deleteData ? true : keepData ? false : nil
        let request = ControlRequest.withdraw(deletesUnsent: unsent, deletesData: data)
        if let text = try RunningAgent.ask(common, request) { return Output.line(text) }
        let store = try StoreAccess(common)
        let record = try await store.enroller().withdraw(deletesUnsent: unsent, deletesData: data)
        let delivery = WithdrawalDelivery(database: store.database, clock: store.stamps.clock)
        try await store.uploaders.deliver(within: WithdrawalDelivery.patience) { try await delivery.isOver(record) }
        Output.line(
            "withdrawn: \(record.participant) left study \(record.studyID); \(try await delivery.summary(of: record))")
    }
}
