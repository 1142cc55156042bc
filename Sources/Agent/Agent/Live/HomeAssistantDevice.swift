// SPDX-License-Identifier: Apache-2.0
import Base

/// What Home Assistant is to show of a device: one message for all of it, at
/// `homeassistant/device/ID/config` (its MQTT integration, "device discovery"). `LiveFeed` publishes it.
struct HomeAssistantDevice: Sendable {
    let topics: LiveTopics
    /// The device in the study, in words for people.
    let name: String
    /// From one status to the next, at most.
    let within: Duration

    private struct Reading {
        let key: String
        let name: String
        var kind: String?
        var unit: String?
        var value: String?
        var isBinary = false
        var isDiagnostic = true

        /// Numbers that Home Assistant draws as a line and keeps statistics of.
        var isMeasured: Bool { ["battery", "temperature", "free", "waiting"].contains(key) }
    }

    /// What `state` of a status may be.
    private static let states = DeviceReport.Activity.allCases.map(\.rawValue) + ["off", "silent"]

    private static let readings = [
        Reading(key: "state", name: "State", kind: "enum", isDiagnostic: false),
        Reading(key: "lastAnswer", name: "Last answer", kind: "timestamp", isDiagnostic: false),
        Reading(key: "nextPrompt", name: "Next prompt", kind: "timestamp", isDiagnostic: false),
        Reading(key: "battery", name: "Battery", kind: "battery", unit: "%"),
        Reading(key: "temperature", name: "Temperature", kind: "temperature", unit: "°C"),
        Reading(
            key: "free", name: "Disk free", kind: "data_size", unit: "B",
            value: "(value_json.disk | default({})).free | default(none)"),
        Reading(
            key: "waiting", name: "Waiting to be sent",
            value: "(value_json.outbox | default({})).waiting | default(none)"),
        Reading(
            key: "problem", name: "Problem", kind: "problem",
            value: "'ON' if value_json.faults | default([]) | length > 0 else 'OFF'", isBinary: true),
    ]

    var json: JSONText {
        .object([
            .init("device", device), .init("origin", origin), .init("state_topic", .string(topics.status)),
            .init("availability_topic", .string(topics.status)),
            .init(
                "availability_template",
                .string("{{ 'offline' if value_json.state in ['silent', 'off', 'ended'] else 'online' }}")),
            .init("components", .object(Self.readings.map { .init($0.key, component($0)) })),
        ])
    }

    private var id: String { "studyd-" + topics.base.replacing("/", with: "-") }

    private var device: JSONText {
        .object([
            .init("identifiers", .array([.string(id)])), .init("name", .string(name)),
            .init("manufacturer", .string("studyd")), .init("sw_version", .string(AgentVersion.text)),
        ])
    }

    private var origin: JSONText {
        .object([.init("name", .string("studyd")), .init("sw_version", .string(AgentVersion.text))])
    }

    private func component(_ reading: Reading) -> JSONText {
        .object([
            "platform": .string(reading.isBinary ? "binary_sensor" : "sensor"),
            "unique_id": .string(id + "-" + reading.key), "name": .string(reading.name),
            // A device's last words have nothing but its state.
            "value_template": .string("{{ \(reading.value ?? "value_json.\(reading.key) | default(none)") }}"),
            "options": reading.kind == "enum" ? .array(Self.states.map { .string($0) }) : nil,
            "state_class": reading.isMeasured ? .string("measurement") : nil,
            "device_class": reading.kind.map { .string($0) }, "unit_of_measurement": reading.unit.map { .string($0) },
            "entity_category": reading.isDiagnostic ? .string("diagnostic") : nil,
            // Twice: one status may be late.
            "expire_after": reading.isDiagnostic ? .integer(within.components.seconds * 2) : nil,
        ])
    }
}
