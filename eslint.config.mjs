import js from "@eslint/js";

export default [
  { ignores: [".venv/**", "tests/formats/**", "tests/puzzles/**", "eslint.config.mjs"] },
  js.configs.recommended,
  {
    languageOptions: { ecmaVersion: 2024, sourceType: "module" },
    rules: {
      eqeqeq: "error",
      "no-shadow": "error",
      // The type checker knows all names.
      "no-undef": "off",
      "no-var": "error",
      "prefer-const": ["error", { destructuring: "all" }],
    },
  },
];
