// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Agent

/// Which user-data needs cloud-init at every boot. The keys that do are those whose modules have
/// `PER_ALWAYS` in Debian 12's cloud-init 22.4.2 (cc_bootcmd.py, cc_chef.py); the files have the
/// form that Raspberry Pi OS ships and Raspberry Pi Imager 2 writes.
@Suite struct CloudInitTests {
    /// As Imager writes it for a device with a user and a key for ssh.
    private static let imager = """
        #cloud-config
        manage_resolv_conf: false

        hostname: box-17
        manage_etc_hosts: true
        packages:
        - avahi-daemon

        apt:
          conf: |
            Acquire {
              Check-Date "false";
            };
        users:
        - name: lab
          ssh_authorized_keys:
            - ssh-ed25519 AAAA bootcmd: of a comment
        enable_ssh: true
        rpi:
          interfaces:
            i2c: true
        runcmd:
          - [ rfkill, unblock, wifi ]
        """

    @Test(arguments: [
        (nil, CloudInit.Verdict.removable), ("", .removable), ("#cloud-config\n#bootcmd:\n# - [ls]\n", .removable),
        (imager, .removable), ("#cloud-config\r\nssh_pwauth: false\r\n", .removable),
        ("#cloud-config\nbootcmd:\n  - [ls]\n", .needed(key: "bootcmd", line: 2)),
        ("#cloud-config\n\"bootcmd\":\n  - [ls]\n", .needed(key: "bootcmd", line: 2)),
        ("#cloud-config\nwrite_files:\n- content: |\n    bootcmd: x\n", .removable),
        ("#cloud-config\r\nhostname: a\r\nchef:\r\n", .needed(key: "chef", line: 3)),
        ("#cloud-config\n\nhostname: a\n\nbootcmd:\n  - [ls]\n", .needed(key: "bootcmd", line: 5)),
        ("#!/bin/sh\nls\n", .needed(key: "#!", line: 1)),
        ("#include\nhttps://a.example\n", .needed(key: "#include", line: 1)),
        ("Content-Type: multipart/mixed\n", .needed(key: "Content-Type:", line: 1)),
    ])
    func whatIsDoneOnceIsNoReasonToKeepIt(_ userData: String?, _ verdict: CloudInit.Verdict) {
        #expect(CloudInit(runs: true, hasFinished: true, userData: userData).verdict == verdict)
    }

    /// Users and networks that it has not made yet would never be made.
    @Test func itIsNotSwitchedOffBeforeItsFirstBootIsOver() {
        #expect(CloudInit(runs: true, hasFinished: false, userData: Self.imager).verdict == .unfinished)
        #expect(CloudInit(runs: false, hasFinished: false, userData: Self.imager).verdict == .idle)
    }

    @Test func checkWarnsWhileItHoldsBootsUp() {
        func findings(_ cloudInit: CloudInit) -> [CheckFinding] {
            var all: [CheckFinding] = []
            BootProbe(cloudInit: cloudInit).run { all.append($0) }
            #expect(BootProbe(cloudInit: cloudInit).subjects == all.map(\.subject))
            return all
        }
        for hasFinished in [true, false] {
            let found = findings(CloudInit(runs: true, hasFinished: hasFinished, userData: nil))
            #expect(found.map(\.result) == [.warning])
            #expect(found.first?.remedy?.contains("/etc/cloud/cloud-init.disabled") == true)
        }
        #expect(findings(CloudInit(runs: false, hasFinished: true, userData: nil)) == [])
    }

    /// cloud-init's own generator (ds-identify and cloud-init-generator(8)) knows both ways.
    @Test func theFileAndTheKernelsCommandLineSwitchItOff() throws {
        let machine = try TakeoverFixture()
        func runs() -> Bool { machine.places.cloudInit(boot: machine.boot).runs }
        #expect(!runs(), "where it is not installed")
        machine.tree["usr/bin/cloud-init"] = ""
        machine.makeExecutable("usr/bin/cloud-init")
        #expect(runs())
        machine.tree["proc/cmdline"] = "console=tty1 cloud-init=disabled\n"
        #expect(!runs())
        machine.tree["proc/cmdline"] = "console=tty1\n"
        machine.tree["etc/cloud/cloud-init.disabled"] = ""
        #expect(!runs())
    }
}
