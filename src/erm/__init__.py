"""Energy-guided recursive reasoning: rulebooks, energies, reasoners, certified search."""
