// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Glibc
import Study
import SystemKit
import Testing

@testable import Agent

@Suite struct FolderTakeoverTests {
    /// What is wrong with a folder or its machine, the number that is signalled, and what
    /// `RESULT.txt` says of it.
    struct Broken: Sendable, CustomTestStringConvertible {
        let name: String
        let number: Int
        let says: [String]
        let breaks: @Sendable (TakeoverFixture) async -> Void
        var testDescription: String { name }

        init(
            _ name: String, _ number: Int, says: [String], _ breaks: @escaping @Sendable (TakeoverFixture) async -> Void
        ) {
            (self.name, self.number, self.says, self.breaks) = (name, number, says, breaks)
        }
    }

    /// The stock config.txt of Raspberry Pi OS has the bus as a comment, and a board is switched on
    /// by `dtparam=i2c_arm=on` (raspberrypi/firmware, boot/overlays/README).
    private static let stockConfig = "# Some settings\r\n#dtparam=i2c_arm=on\r\n#dtparam=i2s=on\r\n"

    static let broken: [Broken] = [
        Broken("no setup", 11, says: ["no setup.toml"]) { $0["setup.toml"] = nil },
        Broken("no study named", 13, says: ["names no study", "setup.toml"]) {
            $0["setup.toml"] = "board = \"board.toml\"\n"
        },
        Broken("no study's file", 13, says: ["'study.json'", "line 2 (study)"]) { $0["study.json"] = nil },
        Broken("a study that is none", 14, says: ["study.json"]) { $0["study.json"] = "{" },
        // The check letter is wrong: EnrolmentTokenTests.
        Broken("bad token", 21, says: ["invalid token", "line 7 (token)", "nothing was sent"]) {
            $0["setup.toml"] = TakeoverFixture.setup(more: "token = \"ABCDEFGHZ\"")
        },
        Broken("an option that is none", 12, says: ["setup.toml:7: options", "unknown unit", "minutes"]) {
            $0["setup.toml"] = TakeoverFixture.setup(more: "[options]\ntimeouts = \"hours\"")
        },
        Broken("wrong board", 31, says: ["no board 'breadbord'", "line 3 (board)", "did you mean 'breadboard'?"]) {
            $0["setup.toml"] = TakeoverFixture.setup(board: "breadbord")
        },
        Broken("a board of software", 31, says: ["is simulated"]) {
            $0["setup.toml"] = TakeoverFixture.setup(board: "simulated")
        },
        Broken("i2c off", 32, says: ["config.txt, line 2", "remove the # before the line dtparam=i2c_arm=on"]) {
            $0["setup.toml"] = TakeoverFixture.setup(board: "breadboard")
            $0.tree["boot/firmware/config.txt"] = stockConfig
        },
        Broken("i2c never heard of", 32, says: ["config.txt", "add the line dtparam=i2c_arm=on"]) {
            $0["setup.toml"] = TakeoverFixture.setup(board: "breadboard")
            $0.tree["boot/firmware/config.txt"] = "enable_uart=1\n"
        },
        Broken("UTF-16, as Notepad's \"Unicode\"", 12, says: ["UTF-16"]) {
            $0.write([0xFF, 0xFE] + Array("board".utf16).flatMap { [UInt8($0 & 0xFF), 0] }, as: "setup.toml")
        },
        Broken("UTF-16, as Notepad's \"Unicode big endian\"", 12, says: ["UTF-16"]) {
            $0.write(
                [0xFE, 0xFF] + Array("board".utf16).flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }, as: "setup.toml")
        },
        Broken("a code with a letter missing", 12, says: ["setup.toml:7", "7K3M-Q0ZD-WX5B"]) {
            $0["setup.toml"] = TakeoverFixture.setup(more: "code = \"7K3M-Q0ZD-WX5\"")
        },
        Broken("a code and no receiver", 12, says: ["setup.toml:7: code", "receiver = "]) {
            $0["setup.toml"] = TakeoverFixture.setup(more: "code = \"7K3M-Q0ZD-WX5B\"")
        },
        Broken("an unknown key", 12, says: ["setup.toml:7", "unknown key"]) {
            $0["setup.toml"] = TakeoverFixture.setup(more: "particpant = \"P002\"")
        },
        // The unit says --state, and ProtectSystem=strict (systemd.exec(5)) lets it write to that folder
        // alone.
        Broken(
            "a state folder that is not the service's", 12,
            says: ["line 3 (configuration)", "studyd.toml:2: state", "'/data/studyd'"]
        ) {
            $0["studyd.toml"] = "board = \"board.toml\"\nstate = \"/data/studyd\"\n"
            $0["setup.toml"] = "participant = \"P001\"\nstudy = \"study.json\"\nconfiguration = \"studyd.toml\"\n"
        },
        // YAML 1.2.2, section 6.1.
        Broken("a tab in YAML", 44, says: ["network-config, line 3", "tab"]) {
            $0.tree["boot/firmware/network-config"] = "network:\r\n  version: 2\r\n\twifis:\r\n"
        },
        Broken("no Wi-Fi", 42, says: ["https://study.example.org/p.json", "network-config"]) {
            $0["setup.toml"] = TakeoverFixture.setup(study: "https://study.example.org/p.json")
            $0.tree["sys/class/net/wlan0/phy80211/name"] = "phy0"
            $0.tree["sys/class/net/wlan0/device/uevent"] = ""
            $0.tree["sys/class/net/lo/type"] = "772"
            $0.removeNetwork()
            $0.tree["boot/firmware/network-config"] = "network:\n  version: 2\n#  access-points:\n"
        },
        Broken("second participant", 22, says: ["belongs to participant P001", "is for P002", "hand-over"]) {
            _ = await $0.takeOver()
            $0["consent.json"] = TakeoverFixture.consent
            $0["setup.toml"] = TakeoverFixture.setup(participant: "P002")
        },
        Broken("second folder of a participant", 23, says: ["another folder for P001"]) {
            _ = await $0.takeOver()
            $0["consent.json"] = TakeoverFixture.consent
            $0["setup.toml"] = TakeoverFixture.setup(key: String(TakeoverFixture.key.reversed()))
        },
        Broken("no consent", 15, says: ["line 5 (consent)", "consent.json"]) { $0["consent.json"] = "{}" },
        Broken("a question that the board cannot ask", 34, says: ["moment/words", "needs a microphone"]) {
            let text = AgentFixture.protocolText(days: 3, times: [(9, 0)], questions: AgentFixture.freeText)
            $0["study.json"] = String(decoding: text, as: UTF8.self).replacing(
                "\"required\":false", with: "\"required\":true")
        },
        Broken("a button with a task that the study does not have", 34, says: ["button[1].task", "no task 'nosuch'"]) {
            let button = "\n[[button]]\nname = \"red\"\ndevice = \"/dev/gpiochip9:3\"\ntask = \"nosuch\"\n"
            $0["board.toml"] = ($0["board.toml"] ?? "") + button
        },
    ]

    @Test(arguments: broken) func everyMistakeHasItsSignalAndItsResult(_ broken: Broken) async throws {
        let machine = try TakeoverFixture()
        await broken.breaks(machine)
        let before = machine["setup.toml"]
        let outcome = try #require(await machine.takeOver())
        guard case .refused(let mistakes) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(mistakes.map(\.kind.rawValue).first == broken.number, "\(mistakes)")
        let counted = outcome.rhythm.groups.dropFirst().flatMap(\.self)
        #expect(counted.count { $0 == .long } * 10 + counted.count { $0 == .short } == broken.number)
        #expect(machine.result.hasPrefix("NOT taken over"))
        for words in broken.says { #expect(machine.result.contains(words), "\(words) in:\n\(machine.result)") }
        // Notepad before Windows 10 (1809) shows no line end but CR LF.
        #expect(machine.result.utf8.count { $0 == 10 } == machine.result.unicodeScalars.count { $0 == "\r" })
        #expect(!machine.result.contains(TakeoverFixture.key))
        #expect(machine["setup.toml"] == before, "what is refused stays to be corrected")
    }

    /// A file system of 8 MB, by the kernel's own count; then one that fills up only while the
    /// configuration is written.
    @Test(arguments: [
        ("/var/lib/studyd", 8, ["only 7 MB", "64 MB are needed"]), ("/etc/studyd", 1, ["No space left"]),
    ])
    func aFullDiskIsRefusedAndTheFolderIsTakenOnceThereIsRoom(_ place: String, _ size: Int, _ says: [String])
        async throws
    {
        let machine = try TakeoverFixture()
        machine.tree["var/lib/studyd/.keep"] = ""
        guard try machine.mountDisk(at: machine.tree.path + place, megabytes: size) else {
            return print("SKIPPED aFullDiskIsRefused: a tmpfs can be mounted by root only")
        }
        let ballast = machine.tree.path + place + "/ballast"
        Self.fill(ballast, leaving: place == "/etc/studyd" ? 0 : 7 << 20)
        let outcome = try #require(await machine.takeOver())
        #expect(outcome.rhythm.description.hasSuffix("---- ."), "\(outcome)")
        for words in says { #expect(machine.result.contains(words), "\(words) in:\n\(machine.result)") }
        #expect(machine["setup.toml"] != nil && machine.ran.isEmpty)
        unlink(ballast)
        guard place == "/etc/studyd" else { return }
        #expect(await machine.takeOver() == .taken(participant: "P001", study: "GENERATED", remarks: []))
    }

    /// What SQLite says of a full disk, not a file of ours.
    @Test func aDiskThatFillsUpWhileTheLogIsMadeIsFullAndNotTheStudysRefusal() async throws {
        let machine = try TakeoverFixture()
        let state = machine.tree.path + "/var/lib/studyd"
        guard try machine.mountDisk(at: state, megabytes: 80) else {
            return print("SKIPPED aDiskThatFillsUp…: a tmpfs can be mounted by root only")
        }
        machine.beforeEnrolling = { Self.fill(state + "/ballast", leaving: 0) }
        #expect(try #require(await machine.takeOver()).rhythm.description.hasSuffix("---- ."))
        #expect(machine.result.contains("database or disk is full"), "\(machine.result)")
        unlink(state + "/ballast")
        machine.beforeEnrolling = {}
        #expect(await machine.takeOver() == .taken(participant: "P001", study: "GENERATED", remarks: []))
    }

    /// Writes until nothing more fits, or until that many bytes are left.
    private static func fill(_ path: String, leaving: Int64) {
        let file = open(path, O_WRONLY | O_CREAT, 0o600)
        defer { close(file) }
        let block = [UInt8](repeating: 1, count: 4_096)
        while DiskSpace(at: path).map({ $0.free > leaving }) == true || leaving == 0 {
            guard write(file, block, block.count) > 0 else { return }
        }
    }

    /// What a folder names as its language comes first, the exact English text after it.
    @Test(arguments: [
        ("language = \"de\"", "NICHT übernommen: 1 Fehler.", "Nummer 13", "Was:"),
        ("language = \"es-419\"", "NO aceptado: 1 error.", "número 13", "Qué:"),
    ]) func theResultIsInTheFoldersLanguageAndInEnglish(
        _ key: String, _ headline: String, _ number: String, _ what: String
    ) async throws {
        let machine = try TakeoverFixture()
        machine["setup.toml"] = TakeoverFixture.setup(study: "absent.json", more: key)
        _ = await machine.takeOver()
        let text = machine.result
        #expect(text.hasPrefix(headline) && text.contains(number) && text.contains("\r\n" + what), "\(text)")
        let english = try #require(text.firstRange(of: "\r\nNOT taken over: 1 mistake."))
        #expect(text[english.upperBound...].contains("There is no file 'absent.json' in the folder"))
        #expect(!text[..<english.lowerBound].contains("There is no file"))
    }

    @Test func aMistakeInTheSetupFileIsToldInItsLanguageToo() async throws {
        let machine = try TakeoverFixture()
        machine["setup.toml"] = TakeoverFixture.setup(more: "language = \"de\"\nbord = \"x\"")
        _ = await machine.takeOver()
        let text = machine.result
        #expect(text.hasPrefix("NICHT übernommen: 1 Fehler.") && text.contains("Nummer 12"), "\(text)")
        #expect(text.contains("setup.toml:") && text.contains("unknown key"), "\(text)")
    }

    @Test func theLanguageOfTheFolderIsTheDevices() async throws {
        let machine = try TakeoverFixture()
        machine["setup.toml"] = TakeoverFixture.setup(more: "language = \"de\"")
        _ = await machine.takeOver()
        #expect(machine.result.hasPrefix("Übernommen: ") && machine.result.contains("\r\nTaken over: "))
        let written = try AgentConfiguration(parsing: BoundedFile.text(machine.places.configuration), file: "")
        #expect(written.speech.language == "de")
        let other = try TakeoverFixture()
        other["studyd.toml"] = "board = \"\(other.boot)/studyd/board.toml\"\n[speech]\nlanguage = \"es\"\n"
        other["setup.toml"] = "study = \"absent.json\"\nconfiguration = \"studyd.toml\"\n"
        _ = await other.takeOver()
        #expect(other.result.hasPrefix("NO aceptado"), "a whole configuration names it, too:\n\(other.result)")
    }

    /// The agent reads `board` from where its configuration is: so is it found, and so it is copied.
    @Test(arguments: ["board.toml", "boards/mine.toml"])
    func theBoardOfAWholeConfigurationKeepsItsPath(_ name: String) async throws {
        let machine = try TakeoverFixture()
        let board = try #require(machine["board.toml"])
        machine["board.toml"] = nil
        machine[name] = board
        machine["studyd.toml"] = "board = \"\(name)\"\n"
        machine["setup.toml"] = "participant = \"P001\"\nstudy = \"study.json\"\nconfiguration = \"studyd.toml\"\n"
        #expect(await machine.takeOver() == .taken(participant: "P001", study: "GENERATED", remarks: []))
        #expect(try BoundedFile.text(machine.tree.path + "/etc/studyd/" + name) == board)
        let folder = name.split(separator: "/").dropLast().joined(separator: "/")
        var status = stat()
        #expect(
            stat(machine.tree.path + "/etc/studyd/" + folder, &status) == 0 && status.st_mode & 0o777 == 0o755,
            "the agent, which is another user, looks for it there")
    }

    /// The name of a board that comes with studyd is no path.
    @Test(arguments: ["breadboard", "absent.toml", "../studyd/board.toml"])
    func theBoardOfAWholeConfigurationIsAPath(_ name: String) async throws {
        let machine = try TakeoverFixture()
        machine["studyd.toml"] = "board = \"\(name)\"\n"
        machine["setup.toml"] = "participant = \"P001\"\nstudy = \"study.json\"\nconfiguration = \"studyd.toml\"\n"
        guard case .refused(let mistakes)? = await machine.takeOver() else { return #expect(Bool(false)) }
        #expect(mistakes.first?.kind == .unknownBoard && machine.result.contains("no board file '\(name)'"))
    }

    /// The light shows it before the first wait for a bus, which may last twenty seconds.
    @Test func theBoardIsKnownBeforeAnythingIsWaitedFor() async throws {
        let machine = try TakeoverFixture()
        _ = await machine.takeOver()
        #expect(machine.begun == ["one button"])
    }

    /// What Windows and editors make of a file is no mistake: CR LF, a byte order mark, and tabs where
    /// TOML allows them (v1.0.0, "Whitespace").
    @Test(arguments: [
        TakeoverFixture.setup(end: "\r\n"), "\u{FEFF}" + TakeoverFixture.setup(),
        "\u{FEFF}" + TakeoverFixture.setup(end: "\r\n"), TakeoverFixture.setup().replacing(" = ", with: "\t=\t"),
    ])
    func whatWindowsWritesWorks(_ setup: String) async throws {
        let machine = try TakeoverFixture()
        machine["setup.toml"] = setup
        #expect(await machine.takeOver() == .taken(participant: "P001", study: "GENERATED", remarks: []))
    }

    @Test func aFolderMakesTheDeviceAParticipants() async throws {
        let machine = try TakeoverFixture()
        machine["credentials/lab"] = "the lab's word"
        machine.tree["usr/bin/cloud-init"] = ""
        machine.makeExecutable("usr/bin/cloud-init")
        machine.tree["var/lib/cloud/instance/boot-finished"] = ""
        machine.tree["boot/firmware/network-config"] =
            try WiFiFile(name: "lab", password: "a secret of it", country: "DE").text
        let outcome = await machine.takeOver()
        #expect(outcome == .taken(participant: "P001", study: "GENERATED", remarks: []))
        #expect(machine.result.hasPrefix("Taken over"))
        #expect(
            machine.ran == [
                "systemctl daemon-reload", "systemctl enable --quiet studyd.service",
                "systemctl start --no-block studyd.service",
            ])
        let configuration = try AgentConfiguration(
            parsing: BoundedFile.text(machine.places.configuration), file: "studyd.toml")
        #expect(
            configuration.zone == "Europe/Berlin" && configuration.board == machine.tree.path + "/etc/studyd/board.toml"
        )
        for name in ["setup.toml", "consent.json", "credentials/lab"] { #expect(machine[name] == nil, "\(name)") }
        #expect(machine["study.json"] != nil)
        for (path, mode) in [
            ("/var/lib/studyd/device.key", 0o600), ("/etc/credstore/studyd.lab", 0o600), ("/etc/credstore", 0o700),
            ("/etc/studyd", 0o755), ("/etc/studyd/studyd.toml", 0o644), ("/etc/studyd/board.toml", 0o644),
        ] {
            var status = stat()
            #expect(stat(machine.tree.path + path, &status) == 0 && Int(status.st_mode & 0o777) == mode, "\(path)")
        }
        #expect(try BoundedFile.text(machine.places.deviceKey) == TakeoverFixture.key + "\n")
        // systemd.exec(5): LoadCredential=ID:PATH.
        #expect(
            try BoundedFile.text(machine.places.dropIn)
                == "[Service]\nLoadCredential=lab:\(machine.tree.path)/etc/credstore/studyd.lab\n")
        #expect(access(machine.places.cloudInitSwitch, F_OK) == 0)
        #expect(
            access(machine.boot + "/network-config", F_OK) != 0, "the Wi-Fi's password is wiped once it is handed on")
        #expect(await machine.takeOver() == nil, "the next boot has nothing to do, and says nothing")
    }

    /// The power may go at any step: a second try ends like the first.
    @Test func theSameFolderAgainChangesNothingAndIsWiped() async throws {
        let machine = try TakeoverFixture()
        let first = await machine.takeOver()
        let database = try StudyDatabase(.file(machine.places.state + "/studyd.sqlite"), catchesUp: false)
        let enrolment = try await database.latestEnrolment()?.record.id
        machine["setup.toml"] = TakeoverFixture.setup()
        machine["consent.json"] = TakeoverFixture.consent
        #expect(await machine.takeOver() == first)
        #expect(try await database.latestEnrolment()?.record.id == enrolment)
        #expect(machine["setup.toml"] == nil && machine["consent.json"] == nil)
    }

    /// How the store is found when a folder is looked at again.
    enum StoreFound: CaseIterable, Sendable {
        /// An update has other tables of what follows from the log, which the agent has yet to fill.
        case outdated
        /// Its first bytes are lost, by which SQLite knows it (sqlite.org/fileformat2.html, 1.3).
        case damaged
        case gone

        func make(_ state: String) async throws {
            let path = state + "/studyd.sqlite"
            switch self {
            case .outdated: try Connection(.file(path)).execute("UPDATE projection SET version = 0")
            case .damaged:
                let file = open(path, O_WRONLY)
                defer { close(file) }
                #expect(pwrite(file, [UInt8](repeating: 0, count: 100), 100, 0) == 100)
            case .gone: unlink(path)
            }
        }
    }

    /// At every boot, and whenever a stick is plugged in.
    @Test(arguments: StoreFound.allCases)
    func whoTakesPartIsKnownThoughTheStoreIsNotAsItWas(_ found: StoreFound) async throws {
        let machine = try TakeoverFixture()
        let first = await machine.takeOver()
        let (state, path) = (machine.places.state, machine.places.state + "/studyd.sqlite")
        // The agent keeps it beside the store.
        let record = try await StudyDatabase(.file(path)).latestEnrolment()?.record
        EnrolmentBackup(at: state).keep(record)
        try await found.make(state)
        let before = try? BoundedFile.read(path, limit: 1 << 24)
        #expect(await machine.takeOver() == nil, "the folder was taken over: nothing is wrong with it")
        machine["packages/a.deb"] = ""
        machine["consent.json"] = TakeoverFixture.consent
        machine["setup.toml"] = TakeoverFixture.setup(participant: "P002")
        guard case .refused(let mistakes)? = await machine.takeOver() else { return #expect(Bool(false)) }
        #expect(mistakes.map(\.kind) == [.otherParticipant])
        machine["setup.toml"] = TakeoverFixture.setup()
        #expect(await machine.takeOver() == first)
        #expect(!machine.ran.contains { $0.contains("dpkg") }, "anyone can plug in a stick")
        #expect((try? BoundedFile.read(path, limit: 1 << 24)) == before, "the store is the agent's")
    }

    @Test func whereItCannotBeReadWhoTakesPartNothingIsTaken() async throws {
        let machine = try TakeoverFixture()
        _ = await machine.takeOver()
        try await StoreFound.damaged.make(machine.places.state)
        #expect(await machine.takeOver() == nil)
        machine["packages/a.deb"] = ""
        machine["consent.json"] = TakeoverFixture.consent
        machine["setup.toml"] = TakeoverFixture.setup(participant: "P002")
        guard case .refused(let mistakes)? = await machine.takeOver() else { return #expect(Bool(false)) }
        #expect(mistakes.map(\.kind) == [.failed] && machine.result.contains("file is not a database"))
        #expect(!machine.ran.contains { $0.contains("dpkg") })
    }

    /// A Raspberry Pi without a network never learns the date; with one it does before anybody looks.
    @Test func anOldClockIsSaidAndSignalledThoughTheFolderIsTaken() async throws {
        for hasNetwork in [false, true] {
            let machine = try TakeoverFixture()
            machine.isClockTrusted = false
            if !hasNetwork { machine.removeNetwork() }
            let outcome = try #require(await machine.takeOver())
            guard case .taken("P001", "GENERATED", let remarks) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(remarks.map(\.kind) == (hasNetwork ? [] : [.oldClock]))
            #expect(outcome.rhythm.description.hasSuffix("---- ...") == !hasNetwork)
            #expect(machine.result.hasPrefix("Taken over"))
            #expect(machine.result.contains("does not know the date") == !hasNetwork)
        }
    }

    @Test func whatKeepsCloudInitIsSaid() async throws {
        let machine = try TakeoverFixture()
        machine.tree["usr/bin/cloud-init"] = ""
        machine.makeExecutable("usr/bin/cloud-init")
        machine.tree["boot/firmware/user-data"] = "#cloud-config\nbootcmd:\n  - [ls]\n"
        let outcome = try #require(await machine.takeOver())
        guard case .taken(_, _, let remarks) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(remarks.map(\.kind) == [.slowBoots])
        #expect(machine.result.contains("user-data, line 2") && machine.result.contains("'bootcmd'"))
        #expect(access(machine.places.cloudInitSwitch, F_OK) != 0)
    }

    /// Before its first boot is over cloud-init is only noted for the unit that waits. Where `user-data` keeps it,
    /// the Wi-Fi's password goes all the same.
    @Test(arguments: [("#cloud-config\n", true), ("#cloud-config\nbootcmd:\n  - [ls]\n", false)])
    func cloudInitsFirstBootIsWaitedFor(userData: String, isSwitchedOff: Bool) async throws {
        let machine = try TakeoverFixture()
        machine.tree["usr/bin/cloud-init"] = ""
        machine.makeExecutable("usr/bin/cloud-init")
        machine.tree["boot/firmware/user-data"] = userData
        machine.tree["boot/firmware/network-config"] =
            try WiFiFile(name: "lab", password: "a secret of it", country: "DE").text
        _ = await machine.takeOver()
        #expect(access(machine.places.cloudInitSwitch, F_OK) != 0)
        #expect(access(machine.boot + "/network-config", F_OK) == 0)
        #expect(machine.ran.last == "systemctl start --no-block studyd-takeover-finish.service")
        var finish = TakeoverFinish(
            places: machine.places, clock: machine.clock, reaches: { _ in false }, enrol: { _ in false })
        #expect(try await finish.takeTurn() == false)
        machine.tree["var/lib/cloud/instance/boot-finished"] = ""
        #expect(try await finish.takeTurn())
        #expect((access(machine.places.cloudInitSwitch, F_OK) == 0) == isSwitchedOff)
        #expect(access(machine.boot + "/network-config", F_OK) != 0)
        #expect(TakeoverRest.read(machine.places.rest) == nil)
    }

    /// canonical/cloud-init 04eacd06, cloudinit/stages.py: `apply_network_config` works for a new instance
    /// alone, `_reflect_cur_instance` writes both ids, `purge_cache` removes boot-finished early in a boot. Of
    /// another disk DataSourceNoCloud.py (101) takes nothing without user-data and meta-data.
    @Test func aNetworkFileIsANetworkWhereCloudInitWillReadIt() throws {
        let wifi = try WiFiFile(name: "lab", password: "a secret of it", country: "DE").text
        func isNetwork(_ files: [String: String], in folder: String? = nil) throws -> Bool {
            let machine = try TakeoverFixture()
            machine.removeNetwork()
            machine.tree["usr/bin/cloud-init"] = ""
            machine.makeExecutable("usr/bin/cloud-init")
            for (path, text) in files { machine.tree[path] = text }
            let place = folder ?? machine.boot
            let isNetwork = machine.places.hasNetwork(networkFile: wifi, in: place)
            #expect(machine.places.isUnused(networkFile: wifi, in: place) == !isNetwork)
            return isNetwork
        }
        let (id, previous) = ("var/lib/cloud/data/instance-id", "var/lib/cloud/data/previous-instance-id")
        #expect(try isNetwork([:]))
        #expect(try isNetwork([id: "nocloud\n", previous: "NO_PREVIOUS_INSTANCE_ID\n"]))
        #expect(try isNetwork([id: "second\n", previous: "nocloud\n"]))
        #expect(try !isNetwork([id: "nocloud\n", previous: "nocloud\n"]))
        #expect(try !isNetwork(["var/lib/cloud/instance/boot-finished": ""]))
        #expect(try !isNetwork(["etc/cloud/cloud-init.disabled": ""]))
        #expect(try !isNetwork([:], in: "/run/studyd-stick"))
    }

    /// cloud-init has gone, as after the first takeover: the file is never read. Its password goes with the other
    /// secrets, and the device may know that Wi-Fi already.
    @Test(
        arguments: [
            ("lab", "var/lib/file", "", []), ("clinic", "var/lib/file", "", [.ignoredWiFi]),
            ("la", "var/lib/file", "", [.ignoredWiFi]),
            ("clinic", "etc/netplan/50-cloud-init.yaml", "      access-points:\n        \"clinic\":\n", []),
            ("clinic", "etc/wpa_supplicant/wpa_supplicant.conf", "network={\n\tssid=\"clinic\"\n}\n", []),
        ] as [(String, String, String, [TakeoverMistake.Kind])])
    func aWiFiThatIsNotReadIsWipedAndSaid(
        name: String, path: String, text: String, kinds: [TakeoverMistake.Kind]
    ) async throws {
        let machine = try TakeoverFixture()
        machine.tree[path] = text
        machine.tree["boot/firmware/network-config"] =
            try WiFiFile(name: name, password: "a secret of it", country: "DE").text
        let outcome = try #require(await machine.takeOver())
        guard case .taken(_, _, let remarks) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(remarks.map(\.kind) == kinds)
        #expect(machine.result.contains("does not know the Wi-Fi '\(name)'") == !kinds.isEmpty, "\(machine.result)")
        #expect(access(machine.boot + "/network-config", F_OK) != 0)
    }

    /// It is not known to be a secret of ours.
    @Test func aNetworkFileOfSomebodyElseStays() async throws {
        let machine = try TakeoverFixture()
        let text = "network:\n  version: 2\n  wifis:\n    wlan0:\n      access-points:\n        \"clinic\": {}\n"
        machine.tree["boot/firmware/network-config"] = text
        #expect(await machine.takeOver() == .taken(participant: "P001", study: "GENERATED", remarks: []))
        #expect(try BoundedFile.text(machine.boot + "/network-config") == text)
    }

    @Test func aStudyOnAServerIsLeftToTheUnitThatWaitsForTheNetwork() async throws {
        let machine = try TakeoverFixture()
        machine["setup.toml"] = TakeoverFixture.setup(
            study: "https://study.example.org",
            more: "token = \"ABCDEFGHI\"\nreceiver = \"https://lab.example.org\"\ncode = \"7K3M-Q0ZD-WX5B\"\n"
                + "hold_times = \"slow\"")
        #expect(
            await machine.takeOver()
                == .waiting(participant: "P001", server: "https://study.example.org", remarks: []))
        #expect(machine.ran.last == "systemctl start --no-block studyd-takeover-finish.service")
        var status = stat()
        #expect(stat(machine.places.rest, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(machine["setup.toml"] == nil)
        let rest = try #require(TakeoverRest.read(machine.places.rest))
        #expect(rest.request?.arguments["token"] == "ABCDEFGHI" && rest.request?.participant == "P001")
        #expect(rest.request?.holdTimes == .slow && rest.request?.source == "https://study.example.org")
        let code = try #require(EnrolmentCode("7K3M-Q0ZD-WX5B"))
        #expect(rest.request?.code.flatMap { EnrolmentCode($0) } == code)
        #expect(rest.request?.consent == .init(text: TakeoverFixture.consent, file: "consent.json"))
    }

    @Test func packagesAreInstalledWithoutANetworkOnADeviceWithoutAnEnrolment() async throws {
        let machine = try TakeoverFixture()
        machine["packages/b.deb"] = ""
        machine["packages/a.deb"] = ""
        machine["packages/readme.txt"] = ""
        _ = await machine.takeOver()
        let line = try #require(machine.ran.first)
        #expect(line.contains("dpkg --force-confold --install") && !line.contains("readme"))
        #expect(line.hasSuffix("packages/a.deb \(machine.boot)/studyd/packages/b.deb"))
        machine["setup.toml"] = TakeoverFixture.setup(participant: "P002")
        _ = await machine.takeOver()
        #expect(machine.ran.count { $0.contains("dpkg") } == 1, "no other packages are installed")
    }
}

extension TakeoverFixture {
    func write(_ bytes: [UInt8], as name: String) { try? AtomicFile.write(bytes, to: boot + "/studyd/" + name) }
}
