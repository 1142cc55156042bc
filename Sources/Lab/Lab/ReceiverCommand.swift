// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Base
import FoundationEssentials
import Glibc
import SystemKit

/// `study-receiver` without a subcommand: runs the lab's server until a signal stops it.
struct ReceiverCommand<StandIns: StandInArguments>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "study-receiver",
            abstract:
                "The lab server: receive what studyd sends, stand in for the platforms' servers, and show the data.",
            discussion: """
                Devices post schema records to /schema and upload recordings by tus to /files. The page at / shows them;
                /api/devices, /api/records and /api/files give the same as JSON.

                EXAMPLE
                  study-receiver --port 8080 --data ./lab --serve studies/mood.json
                  curl -F data_type=log ... http://127.0.0.1:8080/schema
                  curl -X POST 'http://127.0.0.1:8080/control/fault?mode=lost:0.3'
                  study-receiver --mystudies studies/mystudies --application ios:org.example.box:secret --strict
                  study-receiver --esmira studies/esmira.json
                  study-receiver --bridge lab-accounts

                The first line printed is `listening on http://127.0.0.1:PORT`. SIGTERM and SIGINT stop it.
                It has no TLS: use --host only in a closed lab network or behind a TLS proxy, together with --token-file; then the
                page, data and control ask for the token (as a password in a browser). Devices send without it; what they have
                to show is their key, by --device-keys and `study-receiver devices`.
                """, version: ProgramVersion.line(commit: BuildID.own?.commit),
            subcommands: [
                BackupCommand<StandIns>.self, DevicesCommand.self, EraseCommand<StandIns>.self, ExportCommand.self,
                MirrorCommand.self, RestoreCommand<StandIns>.self,
            ])
    }

    @Option(help: "Port to listen on; 0 for any free one.")
    var port = 8080

    @Option(help: "Address to listen on.")
    var host = "127.0.0.1"

    @Option(
        help: ArgumentHelp(
            "Require the token in this file for page, data and control; the file is created if missing.",
            valueName: "file"))
    var tokenFile: String?

    @Option(
        help: ArgumentHelp(
            "Require the token in this file for changing anything, by the page too; the token of --token-file then only reads. The file is created if missing.",
            valueName: "file"))
    var changeTokenFile: String?

    @Option(
        help: ArgumentHelp(
            "Another name of this server, besides localhost, its addresses and the host name. Repeatable.",
            valueName: "name"))
    var name: [String] = []

    @Option(
        help: ArgumentHelp(
            "Accept requests from pages of this origin, e.g. https://app.example.org. Repeatable.",
            valueName: "origin"))
    var origin: [String] = []

    @Option(help: ArgumentHelp("Storage per device, in GiB.", valueName: "gib"))
    var deviceQuota = 64

    @Option(
        help: ArgumentHelp(
            "Keys of devices: off, pin (the first one seen with a name is the only one from then on) or required (only those the lab has approved).",
            valueName: "off|pin|required"))
    var deviceKeys = DeviceKeyMode.off

    @Option(
        help: ArgumentHelp(
            "Post here what begins and what ends to need attention, as ntfy takes it.", valueName: "url"))
    var webhook: String?

    @Option(help: ArgumentHelp("Keep the fleet in this file for Prometheus' node exporter.", valueName: "file.prom"))
    var metricsFile: String?

    @Option(
        help: ArgumentHelp(
            "Devices with an older version need attention; without this, those with an older one than the newest seen.",
            valueName: "version"))
    var expectedVersion: String?

    @Option(help: ArgumentHelp("Days to keep an unfinished upload.", valueName: "days"))
    var uploadDays = 7

    @Option(help: ArgumentHelp("Data folder; or s3://BUCKET/PREFIX, fetched before it is served.", valueName: "dir"))
    var data = "receiver-data"

    @OptionGroup(title: "Bucket") var bucket: BucketOptions

    @Option(help: ArgumentHelp("Serve this protocol file at /study/<name>. Repeatable.", valueName: "file"))
    var serve: [String] = []

    @Flag(
        help:
            "Serve protocol files with the post_url that they have. Without this flag, answers of devices that enrol from here come here."
    )
    var keepPostURL = false

    @Option(
        help: ArgumentHelp(
            "Address of a proxy in front, e.g. 127.0.0.1: its X-Forwarded-For tells clients apart. Repeatable.",
            valueName: "address"))
    var proxy: [String] = []

    @Flag(help: "Answer POST for a protocol file with 405, as some web servers do.")
    var refusePost = false

    @OptionGroup(title: "Stand-ins for study platforms") var standIns: StandIns

    @Flag(help: "Stop when standard input is closed: for programs that start this one.")
    var endWithInput = false

    @Option(help: ArgumentHelp("This clock begins at that moment (RFC 3339).", visibility: .hidden))
    var clockFrom: String?

    @Option(
        help: "Simulate a fault: 500, hang, close or lost (received but not answered), optionally with :PROBABILITY.")
    var fault: String?

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port must be from 0 to 65535") }
        guard fault == nil || fault.flatMap(Fault.init) != nil else {
            throw ValidationError(
                "--fault must be 500, hang, close or lost, optionally with :PROBABILITY, e.g. 500:0.3")
        }
        guard clockFrom == nil || clockFrom.flatMap(Instant.parsed) != nil else {
            throw ValidationError("--clock-from must be a time such as 2026-03-16T00:00:00Z")
        }
        guard (1...1_000_000).contains(deviceQuota) else {
            throw ValidationError("--device-quota must be 1 to 1000000 GiB")
        }
        guard (1...3650).contains(uploadDays) else { throw ValidationError("--upload-days must be 1 to 3650") }
        guard webhook == nil || webhook.flatMap({ Webhook($0) }) != nil else {
            throw ValidationError("--webhook must be an address of http or https")
        }
        guard metricsFile?.hasSuffix(".prom") ?? true else {
            throw ValidationError("--metrics-file must end with .prom: the node exporter reads no other")
        }
        for address in proxy where !TrustedProxies.isAddress(address) {
            throw ValidationError("--proxy \(address): use an address such as 127.0.0.1 or ::1")
        }
        let studies = Set(serve + standIns.studies).map { $0.split(separator: "/").last ?? "" }
        if let name = Dictionary(grouping: studies, by: \.self).first(where: { $0.value.count > 1 })?.key {
            throw ValidationError("two studies are called \(name), by which they are served and kept; rename one")
        }
        for path in serve where access(path, R_OK) != 0 {
            throw ValidationError("--serve \(path): \(String(cString: strerror(errno)))")
        }
    }

    func run() async throws {
        // An option of the stand-ins that prints something instead of serving, such as --make-tokens.
        if let lines = standIns.printed {
            for line in lines { print(line) }
            guard fflush(nil) == 0 else {
                throw ValidationError("standard output: \(String(cString: strerror(errno)))")
            }
            return
        }
        try serve.forEach(StudyRoutes.check)
        let named = bucket.words(data)
        let data = try await bucket.folder(
            data, ProcessInfo.processInfo.environment, clock: SystemClock(), warn: errorLine)
        let options = Receiver.Options(
            directory: data, studies: serve, refusesPost: refusePost, keepsPostURL: keepPostURL, proxies: proxy,
            standIns: standIns.choice, fault: fault.flatMap(Fault.init), token: try tokenFile.map(Self.token),
            changeToken: try changeTokenFile.map(Self.token), names: name + [host] + Self.machineNames,
            origins: origin, isExposed: !HostGate.isLoopback(host), deviceQuota: Int64(deviceQuota) << 30,
            uploadRetention: .seconds(uploadDays * 86_400), deviceKeys: deviceKeys, expectedVersion: expectedVersion,
            webhook: webhook.flatMap { Webhook($0) }, metricsFile: metricsFile, data: named)
        if options.isExposed, tokenFile == nil {
            errorLine(
                """
                WARNING: listening on \(host) without a token: anyone who can reach this machine can read what every participant
                WARNING: has sent. Use --token-file FILE, or remove --host.
                """)
        }
        if !keepPostURL { reportPostURLs() }
        let receiver = try Receiver(
            options, clock: clockFrom.flatMap(Instant.parsed).map(ShiftedClock.init) ?? SystemClock(),
            draw: { Double.random(in: 0..<1) }, newID: Self.newID, report: errorLine)
        // Only now, since the receiver has locked the folder.
        KeptStudies.keep(serve + standIns.studies, in: data, report: errorLine)
        SignalWatch.onStop { receiver.server.stop() }
        if endWithInput { SignalWatch.stopWithInput() }
        let host = host.contains(":") ? "[\(host)]" : host
        try await receiver.run(host: self.host, port: port) { port in
            print("listening on http://\(host):\(port)")
            fflush(nil)
        }
        Erasure(of: "", in: data, StandIns.participantRows(of: "")).emptyLogs()
    }

    /// Names the studies whose answers come here instead of to the address in the study.
    private func reportPostURLs() {
        for path in serve {
            guard let address = (try? BoundedFile.text(path)).flatMap(StudyRoutes.postURL), !address.isEmpty else {
                continue
            }
            errorLine(
                "\(path): devices that enrol from here send answers to this server, not to \(address) (--keep-post-url serves it as it is)"
            )
        }
    }

    /// Runs the command of this process's arguments. Wrong usage ends with 2, not with
    /// the library's 64.
    fileprivate static func runAndExit() async -> Never {
        let words = Array(CommandLine.arguments.dropFirst())
        // A subcommand is parsed as the root: else this command would take its `--data`.
        let command = configuration.subcommands.first { $0._commandName == words.first }
        await runAndExit(command ?? self, command == nil ? words : Array(words.dropFirst()))
    }

    private static func runAndExit(_ root: any ParsableCommand.Type, _ words: [String]) async -> Never {
        do {
            var command = try root.parseAsRoot(words)
            if var waiting = command as? any AsyncParsableCommand { try await waiting.run() } else { try command.run() }
            Glibc.exit(0)
        } catch  where root.exitCode(for: error) == .validationFailure {
            let (name, message) = (root._commandName, root.fullMessage(for: error))
            // The library's hint begins with the command that it parsed: `See 'mirror --help'`.
            errorLine(
                name == _commandName ? message : message.replacing("See '\(name)", with: "See '\(_commandName) \(name)")
            )
            Glibc.exit(2)
        } catch {
            root.exit(withError: error)
        }
    }

    /// The host name, alone and with `.local` (mDNS).
    private static var machineNames: [String] {
        var bytes = [CChar](repeating: 0, count: 256)
        guard gethostname(&bytes, bytes.count - 1) == 0 else { return [] }
        let name = String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return name.isEmpty ? [] : [name, name + ".local"]
    }

    private static func token(file: String) throws -> AccessToken { try AccessToken(file: file, newToken: newID) }

    private static func newID() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }.hexadecimal
    }
}

extension DeviceKeyMode: ExpressibleByArgument {}

/// Leaves the main thread to the signals; the command runs on the others.
package enum ReceiverProgram {
    package static func main<StandIns: StandInArguments>(_ standIns: StandIns.Type) {
        if let refusal = refusal(of: CommandLine.arguments) {
            errorLine(refusal)
            Glibc.exit(1)
        }
        DigestStream.keepLibrary()
        SignalWatch.block()
        // Not on the main actor: its thread waits for signals below. Of the main thread a task would take a priority
        // above the default, which libdispatch asks the kernel for and only root gets.
        Task(priority: .medium) { @concurrent in
            await ReceiverCommand<StandIns>.runAndExit()
        }
        SignalWatch.wait()
    }

    /// Swift reads the arguments from /proc/self/cmdline; without it there are none, not even the program's name.
    static func refusal(of arguments: [String]) -> String? {
        guard arguments.isEmpty else { return nil }
        return "study-receiver: cannot read its command line in /proc/self/cmdline; mount /proc"
    }
}

/// The system's clock, put forward or back so that it shows a moment now: for data of other days.
struct ShiftedClock: StudyClock {
    private let base = SystemClock()
    private let offset: Duration

    init(_ now: Instant) { offset = now - SystemClock().now }

    var now: Instant { base.now + offset }
    var monotonic: MonotonicTime { base.monotonic }
    var marks: ClockMarks { base.marks }
    func sleep(until deadline: MonotonicTime) async throws { try await base.sleep(until: deadline) }
}
